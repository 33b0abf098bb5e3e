/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Floods of flood.h, by a packet socket. Used by a test (live) and a benchmark of what is left to others meanwhile. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <spin/slmp.h>

#include "flood.h"
#include "netns.h"

#define BATCH         32u
#define PAYLOAD_BYTES 22u
#define UDP_BYTES     (8 + 10 + PAYLOAD_BYTES)
#define FRAME_BYTES   (14 + 20 + UDP_BYTES)

struct flood_thread {
	const struct flood *flood;
	pthread_t thread;
	atomic_int stop;
	atomic_ullong sent;
};

static void die(const char *what)
{
	printf("FAIL: a flood: %s: %s\n", what, strerror(errno));
	fflush(stdout);
	_Exit(1);
}

static void put16(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)(v >> 8);
	at[1] = (uint8_t)v;
}

static void put32(uint8_t *at, uint32_t v)
{
	v = htonl(v);
	memcpy(at, &v, sizeof(v));
}

static uint32_t message_id(const struct flood *f, uint64_t n)
{
	return f->kind == FLOOD_DUPLICATE || f->kind == FLOOD_TRICKLE ? 7 : (uint32_t)n;
}

static uint32_t offset(const struct flood *f, uint64_t n)
{
	if (f->kind == FLOOD_TRICKLE)
		return (uint32_t)n * PAYLOAD_BYTES;
	return f->kind == FLOOD_MIDDLE ? PAYLOAD_BYTES : 0;
}

/* The n-th packet. Its UDP checksum is 0: none. */
static void make(const struct flood *f, uint8_t *frame, uint64_t n)
{
	uint8_t *ip = frame + 14, *udp = ip + 20, *slmp = udp + 8;
	uint32_t sum = 0;

	memset(frame, 0, FRAME_BYTES);
	memset(frame, 0xff, 6);
	frame[6] = 2;
	put16(frame + 12, ETHERTYPE_IP);
	ip[0] = 0x45;
	put16(ip + 2, 20 + UDP_BYTES);
	ip[8] = 64;
	ip[9] = IPPROTO_UDP;
	put32(ip + 12, 0x64000000u + (uint32_t)(n * 2654435761u % f->sources));
	inet_pton(AF_INET, f->to, ip + 16);
	for (unsigned i = 0; i < 20; i += 2)
		sum += (uint32_t)(ip[i] << 8 | ip[i + 1]);
	sum = (sum & 0xffff) + (sum >> 16);
	put16(ip + 10, ~(sum + (sum >> 16)) & 0xffff);
	put16(udp, 4660);
	put16(udp + 2, SPIN_SLMP_PORT);
	put16(udp + 4, UDP_BYTES);
	put16(slmp, SPIN_SLMP_SYN);
	put32(slmp + 2, message_id(f, n));
	put32(slmp + 6, offset(f, n));
}

static int packet_socket(const struct flood *f)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET };
	cpu_set_t set;
	int fd;

	if (f->cpu >= 0) {
		CPU_ZERO(&set);
		CPU_SET(f->cpu, &set);
		if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set))
			die("its CPU");
	}
	netns_enter(f->netns);
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	at.sll_ifindex = (int)if_nametoindex(f->device);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)))
		die(f->device);
	return fd;
}

static void *send_all(void *arg)
{
	struct flood_thread *t = arg;
	const struct flood *f = t->flood;
	uint8_t frame[BATCH][FRAME_BYTES];
	struct mmsghdr message[BATCH] = { 0 };
	struct iovec iov[BATCH];
	int fd = packet_socket(f);
	uint64_t n = 0;

	for (unsigned i = 0; i < BATCH; i++) {
		iov[i] = (struct iovec){ frame[i], FRAME_BYTES };
		message[i].msg_hdr.msg_iov = &iov[i];
		message[i].msg_hdr.msg_iovlen = 1;
	}
	while (!t->stop) {
		unsigned count = f->per_second && n >= f->burst ? 1 : BATCH;

		for (unsigned i = 0; i < count; i++)
			make(f, frame[i], n + i);
		if (sendmmsg(fd, message, count, 0) < 0)
			continue; /* the device's queue is full */
		n += count;
		t->sent = n;
		if (count == 1)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000000 / (long)f->per_second - 1 }, NULL);
	}
	close(fd);
	return NULL;
}

struct flood_thread *flood__start(const struct flood *flood)
{
	struct flood_thread *t = calloc(1, sizeof(*t));

	if (!t)
		die("no memory");
	t->flood = flood;
	errno = pthread_create(&t->thread, NULL, send_all, t);
	if (errno)
		die("a thread");
	return t;
}

uint64_t flood__sent(const struct flood_thread *thread)
{
	return thread->sent;
}

uint64_t flood__stop(struct flood_thread *thread)
{
	uint64_t sent;

	thread->stop = 1;
	pthread_join(thread->thread, NULL);
	sent = thread->sent;
	free(thread);
	return sent;
}
