/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a thread-local variable. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static __thread uint32_t calls; // compiler: no variable belongs to a thread; keep what lasts in the struct of SPIN_STATE, or an element of it per HPU

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = ++calls;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(thread_local, .payload = f);
