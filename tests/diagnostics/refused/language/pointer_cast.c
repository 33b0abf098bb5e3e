/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a pointer made of a number. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = *(const uint32_t *)(uintptr_t)0x1000; // compiler: a pointer made of a number: addresses and eBPF's helper numbers are one target's own; call the functions of <spin/spin.h>
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(pointer_cast, .payload = f);
