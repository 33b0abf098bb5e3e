/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a struct by value to a function not inlined. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

struct pair { uint32_t a, b, c, d, e; };
static __attribute__((noinline)) uint32_t use(struct pair q) { return q.a * q.e; }

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	struct pair q = { p->length, 1, 2, 3, state->n };
	state->n = use(q); // compiler: a struct is passed by value to a function that is not inlined; pass a pointer to it, or declare the function static inline
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(struct_argument, .payload = f);
