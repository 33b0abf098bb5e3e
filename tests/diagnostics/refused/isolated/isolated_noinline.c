/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused without --trusted: a function that is not inlined. Expected error: the faulty line's comment (isolated_class_refuses.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static __attribute__((noinline)) uint32_t mix(uint32_t a, struct tally *t) // isolated: a function is called that is never inlined, where loops are not limited; leave out noinline
{
	return a * t->n + t->words[a & 15];
}

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = mix(p->length, state);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(isolated_noinli, .payload = f);
