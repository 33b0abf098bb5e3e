/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_INTERLEAVE_H
#define TESTS_COMMON_INTERLEAVE_H

/*
 * Makes a handler yield the CPU at random before and after its atomic accesses, so that every interleaving is likely even on one CPU.
 * Included before the handler's file by tests that run the handler in threads: tests/unit/cache_is_never_stale.c,
 * tests/unit/reduce_tells_once.c and tests/sockets/memcached_keeps_the_longest_flush.c. Each thread sets random_state to a number of its
 * own.
 */
#include <sched.h>
#include <stdint.h>

#include <spin/spin.h>

#include "tests/common/random.h"

static __thread uint64_t random_state;

static inline uint32_t random32(void)
{
	return (uint32_t)random_next(&random_state);
}

static inline void maybe_yield(void)
{
	uint32_t r = random32();

	if (r % 32 == 0)
		sched_yield();
	else if (r % 32 == 1)
		for (volatile uint32_t i = 0; i < (r >> 8 & 255); i++)
			;
}

#define INTERLEAVED(TYPE, access)   \
	({                          \
		maybe_yield();      \
		TYPE v_ = (access); \
		maybe_yield();      \
		v_;                 \
	})
#define INTERLEAVED_VOID(access) \
	({                       \
		maybe_yield();   \
		access;          \
		maybe_yield();   \
	})

#define spin_load32(at)              INTERLEAVED(uint32_t, spin_load32(at))
#define spin_cas32(at, expect, swap) INTERLEAVED(_Bool, spin_cas32(at, expect, swap))
#define spin_store32(at, value)      INTERLEAVED_VOID(spin_store32(at, value))
#define spin_add32(at, n)            INTERLEAVED_VOID(spin_add32(at, n))

#endif
