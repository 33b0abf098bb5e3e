/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a struct from a function that is not inlined. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

struct pair { uint32_t a, b, c, d, e; };
static __attribute__((noinline)) struct pair make(uint32_t n) { return (struct pair){ n, n, n, 1, 2 }; } // compiler: a struct is returned by a function that is not inlined; declare it static inline, or fill one through a pointer

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	struct pair q = make(p->length);
	state->n = q.a + q.e;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(struct_return, .payload = f);
