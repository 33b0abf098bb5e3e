/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * slmp_threads ADDRESS FILE THREADS PAYLOAD_BYTES, run by tests/transfer/recv_threads.sh: sends a file as one SLMP message (a protocol over
 * UDP) from several threads, as FPsPIN's sender does. The first packet is acknowledged before the threads begin, each thread sends a part
 * of the packets in between, and the last packet follows when they have ended. All share a socket, and whichever thread reads an
 * acknowledgement counts it as its own. Nothing is sent twice.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "tests/common/net/slow.h"
#include <spin/slmp.h>

#define THREADS_MAX 16
#define WINDOW      4 /* of a thread */
#define PAYLOAD_MAX 1462
#define BYTES_MAX   (64u << 20)
#define ID          7

static int fd, failed;
static uint8_t *data;
static uint32_t bytes, payload_bytes, packets;

struct part {
	pthread_t thread;
	uint32_t first, end;
};

static int send_packet(uint32_t packet)
{
	uint32_t at = packet * payload_bytes, length = bytes - at < payload_bytes ? bytes - at : payload_bytes;
	struct {
		struct spin_slmp slmp;
		uint8_t payload[PAYLOAD_MAX];
	} __attribute__((packed)) out = {
		.slmp = { htons(SPIN_SLMP_SYN | (packet + 1 == packets ? SPIN_SLMP_EOM : 0)), htonl(ID), htonl(at) },
	};

	memcpy(out.payload, data + at, length);
	return send(fd, &out, sizeof(out.slmp) + length, 0) == (ssize_t)(sizeof(out.slmp) + length) ? 0 : -1;
}

/* One acknowledgement, of any packet. */
static int receive_ack(void)
{
	const int limit_ms = (int)(5000 * slow_factor());
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct spin_slmp ack;

	for (;;) {
		if (recv(fd, &ack, sizeof(ack), MSG_DONTWAIT) == sizeof(ack))
			return ack.flags == htons(SPIN_SLMP_ACK) && ack.message_id == htonl(ID) ? 0 : -1;
		if (poll(&p, 1, limit_ms) <= 0)
			return -1;
	}
}

static void *send_part(void *arg)
{
	const struct part *part = arg;
	uint32_t open = 0;

	for (uint32_t packet = part->first; packet < part->end && !__atomic_load_n(&failed, __ATOMIC_RELAXED); packet++) {
		if (open == WINDOW && !receive_ack())
			open--;
		if (open == WINDOW || send_packet(packet))
			__atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
		open++;
	}
	while (open-- && !__atomic_load_n(&failed, __ATOMIC_RELAXED))
		if (receive_ack())
			__atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
	return NULL;
}

static int read_file(const char *path)
{
	FILE *f = fopen(path, "rb");

	data = malloc(BYTES_MAX);
	if (!f || !data)
		return -1;
	bytes = (uint32_t)fread(data, 1, BYTES_MAX, f);
	fclose(f);
	packets = (bytes + payload_bytes - 1) / payload_bytes;
	return packets > 2 ? 0 : -1;
}

static int send_all(unsigned threads)
{
	static struct part part[THREADS_MAX];
	uint32_t between = packets - 2;

	if (send_packet(0) || receive_ack())
		return -1;
	for (unsigned i = 0; i < threads; i++) {
		part[i].first = 1 + (uint32_t)((uint64_t)between * i / threads);
		part[i].end = 1 + (uint32_t)((uint64_t)between * (i + 1) / threads);
		if (pthread_create(&part[i].thread, NULL, send_part, &part[i]))
			return -1;
	}
	for (unsigned i = 0; i < threads; i++)
		pthread_join(part[i].thread, NULL);
	return failed || send_packet(packets - 1) || receive_ack() ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(SPIN_SLMP_PORT) };
	unsigned threads = argc == 5 ? (unsigned)atoi(argv[3]) : 0;

	payload_bytes = argc == 5 ? (uint32_t)atoi(argv[4]) : 0;
	if (!threads || threads > THREADS_MAX || !payload_bytes || payload_bytes > PAYLOAD_MAX ||
	    inet_pton(AF_INET, argv[1], &to.sin_addr) != 1) {
		fprintf(stderr, "usage: slmp_threads ADDRESS FILE THREADS PAYLOAD_BYTES\n");
		return 2;
	}
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (void *)&to, sizeof(to)) || read_file(argv[2])) {
		fprintf(stderr, "slmp_threads: cannot begin\n");
		return 1;
	}
	if (send_all(threads)) {
		fprintf(stderr, "slmp_threads: an acknowledgement did not come\n");
		return 1;
	}
	return 0;
}
