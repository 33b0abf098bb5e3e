/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_BENCH_MPQ_H
#define TESTS_BENCH_MPQ_H

/*
 * Shared by mpq.bpf.c, which makes packets of messages, and packet_feed.c and the benchmarks, which set what it makes: the headers, and the
 * message and offset of the next packet.
 */
#include <stdint.h>

/* Ethernet, IPv4, UDP, SLMP: rewritten for each packet. */
#define FEED_HEADERS 52

struct feed {
	uint64_t frame[FEED_HEADERS / 8];
	uint32_t frame_bytes;
	uint32_t first_id, messages; /* packets are spread over these messages */
	uint32_t turn;               /* the message of the next packet */
	uint32_t offset, stride;     /* offset of that packet; the increment for the next round */
	uint32_t unused[2];
};

#endif
