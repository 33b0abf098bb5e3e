/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_BENCH_MPQ_H
#define TESTS_BENCH_MPQ_H

/* Shared by mpq.bpf.c and mpq.c: the packet that comes next. */
#include <stdint.h>

/* Ethernet, IPv4, UDP, SLMP: written again for each packet. */
#define FEED_HEADERS 52

struct feed {
	uint64_t frame[FEED_HEADERS / 8];
	uint32_t frame_bytes;
	uint32_t first_id, messages; /* packets go round these messages */
	uint32_t turn;               /* whose packet comes next */
	uint32_t offset, stride;     /* of that packet; of the next round: so much more */
	uint32_t unused[2];
};

#endif
