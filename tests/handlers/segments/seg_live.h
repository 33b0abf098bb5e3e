/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_SEG_LIVE_H
#define TESTS_HANDLERS_SEG_LIVE_H

/* The state of seg_live.c, and of seg_live_moved.c, where it has another layout. Read by tests in tests/segments. */
#include <stdint.h>

struct seg_live {
#ifdef SEG_LIVE_MOVED
	uint32_t moved; /* payloads that these handlers were given */
#endif
	uint32_t watched;    /* a source port, host byte order */
	uint32_t drop_every; /* 0: none */
	uint32_t begun, ended, resets, payloads, dropped;
	uint32_t length, dropped_bytes; /* sums of completion handlers' arguments */
	uint32_t watched_begun, watched_ended, watched_length;
};

#endif
