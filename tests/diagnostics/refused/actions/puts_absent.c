/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a put without SPIN_PUTS. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

struct tally { uint32_t n, words[16]; };
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	struct spin_put put = { .target = spin_source(p) };

	if (spin_put_from_device(p, state->words, 16, &put)) // compiler: it sends packets; declare with SPIN_PUTS(n), before the first handler, how many at most for each received packet
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(puts, .payload = f, .delivery = SPIN_DELIVER_ME);
