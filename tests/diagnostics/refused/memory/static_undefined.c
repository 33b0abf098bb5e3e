/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a static function without a definition. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static uint32_t elsewhere(uint32_t n); // compiler: 'elsewhere' is declared and nowhere defined; define it, or call another

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = elsewhere(p->length);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(static_undefine, .payload = f);
