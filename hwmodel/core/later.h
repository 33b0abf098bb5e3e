/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef CORE_LATER_H
#define CORE_LATER_H

/* Of two times, or of two waits. */
#include <stdint.h>

static inline uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

#endif
