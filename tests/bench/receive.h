/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_BENCH_RECEIVE_H
#define TESTS_BENCH_RECEIVE_H

/*
 * Shared by the benchmark receive.c and receive.bpf.c, which makes its packets: the headers, and the message and offset of the next packet.
 */
#include <stdint.h>

/* Ethernet, IPv4, UDP and the message protocol's flags. The id and the offset follow. */
#define FEED_HEADERS 44

struct feed {
	uint32_t head[FEED_HEADERS / 4];
	uint32_t frame_bytes;
	uint32_t sum;           /* sum of all that the UDP checksum covers except flags, id and offset; 0: no checksum */
	uint32_t id, offset;    /* of the next packet */
	uint32_t stride, total; /* bytes of payload: of a packet, of a message */
	uint32_t from, until;   /* range of offsets that is sent for each message, `until` exclusive */
	uint32_t unused;
};

#endif
