/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sends packets of messages with forged source addresses from a packet socket, as fast as possible or at a given rate (flood.h). Used by
 * tests/live/floods_leave_room_for_others.c and tests/bench/flood.c. A failure ends the process.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/if_ether.h>
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

#include "tests/reference/frame.h"
#include <spin/slmp.h>

#include "tests/common/traffic/flood.h"
#include "tests/common/net/netns.h"

#define BATCH         32u
#define PAYLOAD_BYTES 22u
#define FRAME_BYTES   (14 + 20 + 8 + sizeof(struct spin_slmp) + PAYLOAD_BYTES)

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

static void make_frame(const struct flood *f, uint8_t *frame, uint64_t n)
{
	const struct spin_slmp slmp = { spin_hton16(SPIN_SLMP_SYN), spin_hton32(message_id(f, n)), spin_hton32(offset(f, n)) };
	struct frame_flow flow = { .ip_version = 4, .src_port = 4660, .dst_port = SPIN_SLMP_PORT };
	const uint32_t from = htonl(0x64000000u + (uint32_t)(n * 2654435761u % f->sources));

	memset(frame, 0, FRAME_BYTES);
	memcpy(flow.src, &from, sizeof(from));
	inet_pton(AF_INET, f->to, flow.dst);
	memcpy(frame_payload(frame, 4), &slmp, sizeof(slmp));
	frame_finish(frame, &flow, sizeof(slmp) + PAYLOAD_BYTES, FRAME_SUM_NONE);
	memset(frame, 0xff, 6); /* broadcast */
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
			make_frame(f, frame[i], n + i);
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
