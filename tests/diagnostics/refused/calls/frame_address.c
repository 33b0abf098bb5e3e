/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: the address of a stack frame. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = (uint32_t)(uintptr_t)__builtin_frame_address(0); // compiler: the address of a stack frame, which eBPF does not have; do without
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(frame_address, .payload = f);
