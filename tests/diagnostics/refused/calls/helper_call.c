/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a call of an eBPF helper by its name. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = bpf_get_prandom_u32(); // compiler: 'bpf_get_prandom_u32' is eBPF's own, which an HPU does not have; call nothing but the functions of <spin/spin.h> and your own
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(helper_call, .payload = f);
