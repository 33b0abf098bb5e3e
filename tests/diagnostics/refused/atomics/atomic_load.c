/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a sequentially consistent atomic load. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->words[0] = __atomic_load_n(&state->n, __ATOMIC_SEQ_CST); // compiler: an atomic operation that eBPF does not have; use spin_add32, spin_cas32, spin_load32 and spin_store32
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(atomic_load, .payload = f);
