/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_SHARE_H
#define TESTS_HANDLERS_SHARE_H

/*
 * State of two contexts at once, whose handlers are share_first.c and share_second.c. Both add `step` to `both` for each packet, so no
 * update is lost if both = (first + second) * step; tests/live/hpu_memory_is_shared.c checks that.
 */
#include <stdint.h>

struct shared {
	uint32_t first;  /* counted by share_first */
	uint32_t second; /* counted by share_second */
	uint32_t both;   /* counted by both */
	uint32_t step;   /* added to `both` per packet; set by the host */
};

#endif
