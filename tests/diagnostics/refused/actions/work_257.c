/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* spincc must refuse SPIN_WORK(257), as 256 is the most, as the faulty line says (tests/diagnostics/compilers_refuse.sh) */
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
