/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a long in the state. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint64_t n, words[16]; int64_t sum; long long more;
	       const long l; }; // compiler: 'l' is a long, which has 8 bytes in the kernel and 4 on an HPU; use int32_t, uint32_t, int64_t or uint64_t
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = p->length;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(state_long, .payload = f);
