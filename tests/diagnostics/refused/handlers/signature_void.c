/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a payload handler that returns void. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static void f(struct spin_payload *p, struct tally *state)
{
	state->n = 1;
	return;
}

SPIN_HANDLERS(signature_void, .payload = f); // compiler: the payload handler has another signature; write enum spin_payload_rc name(struct spin_payload *p, STATE *state)
