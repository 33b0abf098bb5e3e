/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_XPULP_H
#define HWMODEL_XPULP_H

/*
 * What a compiler for PULP's instructions would save, loop by loop. PsPIN's figures were made with one. In Debian 12 none is
 * packaged: gcc 12.2 takes "xpulp" for any extension's name and makes nothing of it; clang 14 knows none; LLVM 19 makes
 * accesses with post-increment for CORE-V (encoded like RI5CY's if the increment is a constant, not otherwise), and has
 * no hardware loops.
 *
 * From a profile of rv32imac code, for each innermost loop that ran: its cycles, and those it would take with a hardware loop (the back
 * edge takes 0), post-increment accesses and multiply-accumulate. The new body is timed by the core's own rules.
 */
#include <stddef.h>

#include <hwmodel/rv32.h>

/* Why a loop stays as it is. X(NAME, "text") */
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

struct xpulp_loop {
	uint32_t start, end;           /* addresses: of its first instruction, behind its branch */
	uint64_t entries, turns;       /* how often it was entered, and went in all */
	uint64_t cycles;               /* that it took, by the profile */
	uint64_t cycles_xpulp;         /* that it would take, setup included; the same if there is a reason */
	uint8_t post_increments, macs; /* instructions saved per turn, in addition to the branch */
	uint8_t counter;               /* 1: the one that counts, too */
	enum xpulp_reason reason;
};

const char *xpulp_reason_text(enum xpulp_reason reason);

/*
 * The loops of the code that profile covers, by address; code: its bytes, from profile->addr on. Returns how many there are,
 * which may be more than room.
 */
size_t xpulp__loops(const struct rv32_profile *profile, const uint8_t *code, struct xpulp_loop *loops, size_t room);

#endif
