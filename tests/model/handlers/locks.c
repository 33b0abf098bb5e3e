/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A handler that locks nothing, and functions for locks_are_pspins.c: four pairs each, in the scratchpad's L1. */
#include <spin/spin.h>

struct locks {
	struct spin_lock lock;
	struct spin_rw_lock rw;
};
SPIN_NO_STATE;

static enum spin_payload_rc locks_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	(void)p;
	(void)unused;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(locks, .payload = locks_payload);

#define ROWS(name, statement) \
	__attribute__((used, flatten, section(".text.hpu"))) void rows_##name(void) \
	{ \
		struct spin_packet packet = { .steps = 100 }; \
		const struct spin_payload payload = { .packet = &packet }, *p = &payload; \
		struct locks *locks = (struct locks *)0x10090000; \
		\
		__asm__ volatile("" : "+r"(locks)); \
		(void)p; \
		statement statement statement statement \
	}

ROWS(none, )
ROWS(try_lock, if (spin_try_lock(&locks->lock)) spin_unlock(&locks->lock);)
ROWS(lock, SPIN_LOCKED(p, &locks->lock) {})
ROWS(read_lock, SPIN_READ_LOCKED(p, &locks->rw) {})
ROWS(write_lock, SPIN_WRITE_LOCKED(p, &locks->rw) {})
