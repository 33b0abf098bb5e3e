/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: an acknowledged put to the source of a datagram. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[4]; };
SPIN_STATE(struct tally);
SPIN_PUTS(1);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	struct spin_put_acked put = { .put = { .target = spin_source(p) }, .options = SPIN_PUT_ACK_REQ };

	if (spin_put_from_device(p, state->words, 16, &put)) // compiler: puts that are acknowledged are for messages: a datagram has no acknowledgement
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(puts, .payload = f);
