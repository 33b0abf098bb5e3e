/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a call of an eBPF helper by its number. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static uint64_t (*const ktime)(void) = (void *)5;

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = (uint32_t)ktime(); // compiler: a pointer made of a number: addresses and eBPF's helper numbers are one target's own; call the functions of <spin/spin.h>
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(helper_by_numbe, .payload = f);
