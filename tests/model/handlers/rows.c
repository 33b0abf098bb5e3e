/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An empty handler, and functions rows_NAME for tests/model/actions_cost_what_pspins_do.c that take locks and send data in L1. The test
 * compares their cycles with those of PsPIN's library.
 */
#include <spin/spin.h>

struct locks {
	struct spin_lock lock;
	struct spin_rw_lock rw;
};
SPIN_NO_STATE;

static enum spin_payload_rc rows_payload(struct spin_payload *p, struct spin_no_state *unused)
{
	(void)p;
	(void)unused;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(rows, .payload = rows_payload);

#define ROW __attribute__((used, flatten, section(".text.hpu"))) void

#define PAIRS(name, statement)                                                            \
	ROW rows_##name(void)                                                             \
	{                                                                                 \
		struct spin_packet packet = { .steps = 100 };                             \
		const struct spin_payload payload = { .packet = &packet }, *p = &payload; \
		struct locks *locks = (struct locks *)0x10090000;                         \
                                                                                          \
		__asm__ volatile("" : "+r"(locks));                                       \
		(void)p;                                                                  \
		statement statement statement statement                                   \
	}

PAIRS(none, )
PAIRS(try_lock, if (spin_try_lock(&locks->lock)) spin_unlock(&locks->lock);)
PAIRS(lock, SPIN_LOCKED(p, &locks->lock){})
PAIRS(read_lock, SPIN_READ_LOCKED(p, &locks->rw){})
PAIRS(write_lock, SPIN_WRITE_LOCKED(p, &locks->rw){})

/* A function with a command, and the same with a wait. */
#define COMMAND(name, statement)                                                                                 \
	ROW rows_##name(void)                                                                                    \
	{                                                                                                        \
		uint32_t high = 0x40, low = 0, l1 = 0x10090000, l2 = 0x1c400000, bytes = 64, id = 0;             \
                                                                                                                 \
		__asm__ volatile("" : "+r"(high), "+r"(low), "+r"(l1), "+r"(l2), "+r"(bytes));                   \
		statement;                                                                                       \
		__asm__ volatile("nop" : : "r"(id)); /* a return right after a load hides part of its latency */ \
	}
#define COMMANDS(name, call)     \
	COMMAND(name, id = call) \
	COMMAND(name##_wait, id = call; spin_command_wait_(id))

COMMAND(arguments, )
COMMANDS(send_l1, spin_command_forward_(l1, bytes))
COMMANDS(send_l2, spin_command_forward_(l2, bytes))
COMMANDS(to_host_l1, spin_command_to_host_(high, low, l1, bytes))
COMMANDS(to_host_l2, spin_command_to_host_(high, low, l2, bytes))
COMMANDS(from_host_l1, spin_command_from_host_(high, low, l1, bytes))
COMMANDS(write_8, spin_command_write_(high, low, 8, l1, l2))
