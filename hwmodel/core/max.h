/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_CORE_MAX_H
#define HWMODEL_CORE_MAX_H

/* max_u64(), min_u64(): the later and the earlier of two cycles. Included by files of core/ and soc/. */
#include <stdint.h>

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

#endif
