/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_XPULP_H
#define HWMODEL_XPULP_H

/*
 * Estimates what a compiler for PULP's instructions would save, loop by loop. PsPIN's figures were made with one. Debian 12 packages none:
 * gcc 12.2 accepts "xpulp" like any unknown extension name and ignores it; clang 14 does not know it; LLVM 19 emits post-increment accesses
 * for CORE-V (encoded like RI5CY's only if the increment is a constant), but no hardware loops. Called by spinctl cost (user/cost/xpulp.c)
 * and tests.
 *
 * Uses a profile of rv32imac code. For each innermost loop that ran it gives the loop's cycles, and the cycles with a hardware loop
 * (the back edge takes 0), post-increment accesses and multiply-accumulate. The new body is timed by the core's own rules.
 */
#include <stddef.h>

#include <hwmodel/rv32.h>

/* Why a loop is not converted. X(NAME, "text") */
/* clang-format off */
#define XPULP_REASONS(X) \
	X(NONE,       "converted") \
	X(CALLS,      "it calls or jumps") \
	X(SYSTEM,     "it traps, fences or loops in hardware already") \
	X(EXITS,      "it has another way out") \
	X(UNCOUNTED,  "how often it goes is not known before") \
	X(GAINS_LESS, "it goes too rarely to pay for its setup")
/* clang-format on */

enum xpulp_reason {
#define XPULP_REASON_ENUM_(name, text) XPULP_##name,
	XPULP_REASONS(XPULP_REASON_ENUM_)
#undef XPULP_REASON_ENUM_
};

/* A loop that ran, with its cycles as measured and as estimated. */
struct xpulp_loop {
	uint32_t start, end;           /* addresses: of the first instruction; after the branch */
	uint64_t entries, turns;       /* how often the loop was entered; iterations in all */
	uint64_t cycles;               /* by the profile */
	uint64_t cycles_xpulp;         /* with Xpulp, setup included; equal to `cycles` if there is a reason */
	uint8_t post_increments, macs; /* instructions saved per iteration, in addition to the branch */
	uint8_t counter;               /* 1: the counting instruction is also saved */
	enum xpulp_reason reason;
};

const char *xpulp_reason_text(enum xpulp_reason reason);

/*
 * Finds the loops of the code that the profile covers, in order of address. code: its bytes, from profile->addr on. Returns the number
 * of loops, which may be more than room.
 */
size_t xpulp__loops(const struct rv32_profile *profile, const uint8_t *code, struct xpulp_loop *loops, size_t room);

#endif
