/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a work item of 36 bytes, 4 too many. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

SPIN_WORK(8);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	if (spin_work(p, state->words, 36)) // compiler: spin_work: from 4 to 32 bytes
		return SPIN_DROP;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(work, .payload = f);
