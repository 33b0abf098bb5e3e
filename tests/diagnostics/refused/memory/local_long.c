/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a local long. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	long sum = 0; // compiler: 'sum' is a long, which has 8 bytes in the kernel and 4 on an HPU; use int32_t, uint32_t, int64_t or uint64_t

	sum += p->length;
	state->n += sum;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(local_long, .payload = f);
