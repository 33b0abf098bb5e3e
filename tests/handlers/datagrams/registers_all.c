/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * registers_all - registers a state, a scratchpad and an idle time of a day, and at their maximum 16 puts, a user header of 256 bytes,
 * pieces of 64 bytes and a budget of 2^22 steps. It must load, and more than these must be refused. For tests/live/limits_are_kept.c and
 * tests/unit/object_registration.c.
 */
#include <spin/spin.h>

struct mine {
	uint32_t packets, unused;
};

SPIN_STATE(struct mine);
SPIN_SCRATCHPAD(struct mine);
SPIN_PUTS(16);

static enum spin_payload_rc registers_all_payload(struct spin_payload *p, struct mine *state)
{
	spin_add32(&state->packets, 1);
	spin_add32(&SPIN_SCRATCH(p)->packets, 1);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(registers_all, .payload = registers_all_payload, .user_header_bytes = SPIN_USER_HEADER_MAX,
	      .fragmentation_bytes = SPIN_FRAGMENTATION_MAX, .budget = SPIN_BUDGET_MAX, .idle_ms = 86400000, .payload_aligned = 1,
	      .delivery = SPIN_DELIVER_ME);
