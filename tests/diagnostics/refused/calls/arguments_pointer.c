/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a call through a table of function pointers. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

typedef uint32_t (*op)(uint32_t, uint32_t);
static uint32_t add(uint32_t a, uint32_t b) { return a + b; }
static uint32_t sub(uint32_t a, uint32_t b) { return a - b; }
static const op ops[] = { add, sub };

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = ops[p->length & 1](state->n, 1); // compiler: a call through a pointer; call functions by name, and choose between them with switch
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(arguments_point, .payload = f);
