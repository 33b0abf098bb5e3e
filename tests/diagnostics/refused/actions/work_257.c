/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: SPIN_WORK(257), above the maximum of 256. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

SPIN_WORK(257); // compiler: SPIN_WORK: from 1 to 256

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	if (spin_work(p, state->words, 8))
		return SPIN_DROP;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(work, .payload = f);
