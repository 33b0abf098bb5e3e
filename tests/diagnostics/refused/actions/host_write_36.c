/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: spin_host_write() of 36 bytes, 4 too many. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	if (spin_host_write(p, SPIN_HANDLER_MEM, 0, state->words, 36)) // compiler: spin_host_write: at most 32 bytes
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(lengths, .payload = f, .delivery = SPIN_DELIVER_ME);
