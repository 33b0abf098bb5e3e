/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_ENDLESS_ROUNDS_H
#define TESTS_HANDLERS_ENDLESS_ROUNDS_H

/*
 * ENDLESS_ROUNDS: the condition of a loop that only the work limit of the isolated class ends. It is the kernel's own instruction
 * (may_goto), which does not use up the handler's budget. Elsewhere it is 0. Included by endless.c, by
 * tests/handlers/segments/seg_endless.c, and by the handlers that tests/live/isolated_work_is_limited.c compiles.
 */
#if defined(__bpf__) && !defined(SPIN_BOUNDED_LOOPS)
#define ENDLESS_ROUNDS                                                                                                 \
	({                                                                                                             \
		__label__ out;                                                                                         \
		_Bool on_ = 1;                                                                                         \
		__asm__ goto("1: .byte 0xe5; .byte 0; .long ((%l[out] - 1b - 8) / 8) & 0xffff; .short 0" : : : : out); \
		if (0) {                                                                                               \
		out:                                                                                                   \
			on_ = 0;                                                                                       \
		}                                                                                                      \
		on_;                                                                                                   \
	})
#else
#define ENDLESS_ROUNDS 0
#endif

#endif
