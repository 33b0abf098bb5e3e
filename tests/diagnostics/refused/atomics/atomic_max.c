/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: an atomic maximum. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { int n; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	__atomic_fetch_max(&state->n, (int)p->length, __ATOMIC_SEQ_CST); // compiler: an atomic operation that eBPF does not have; use spin_add32, spin_cas32, spin_load32 and spin_store32
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(atomic_max, .payload = f);
