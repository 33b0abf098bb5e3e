/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a signed division. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	const int32_t *w = SPIN_GET(p, 0, int32_t);
	const int32_t *v = SPIN_GET(p, 4, int32_t);

	if (w && v && *v)
		state->n = (uint32_t)(*w / *v); // compiler: signed division or modulo; eBPF divides unsigned numbers only: use uint32_t or uint64_t
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(signed_division, .payload = f);
