/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: more code than an HPU's 32 KiB. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

#define X2(x) x x
#define X4(x) x x x x
#define X16(x) X4(X4(x))

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	const uint32_t *w = SPIN_GET(p, 0, uint32_t);
	uint32_t n = w ? *w : 0;

	X16(X4(X2(n += spin_fadd32(&state->words[n & 15], 1);)))
	state->words[1] = n;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(too_large, .payload = f); // compiler: the handlers are too large for an HPU's 32 KiB of program memory; repeat less of the code
