/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: spin_work() without SPIN_WORK. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	if (spin_work(p, state->words, 8)) // compiler: it leaves work items; say with SPIN_WORK(n) before the first handler how many at most may be unread
		return SPIN_DROP;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(work, .payload = f);
