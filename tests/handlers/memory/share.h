/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_SHARE_H
#define TESTS_HANDLERS_SHARE_H

/* HPU memory that two kinds of handlers share, and what the test that reads it knows. */
#include <stdint.h>

struct shared {
	uint32_t first;  /* by share_first */
	uint32_t second; /* by share_second */
	uint32_t both;   /* by either */
	uint32_t step;   /* what either adds to `both`: the host says */
};

#endif
