/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a put from a buffer without SPIN_PUTS. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;
SPIN_BUFFER(uint32_t, buf, 64);

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	struct spin_put put = { .target = spin_source(p) };

	if (spin_put_from_buffer(p, buf, 0, 4, &put)) // compiler: it sends packets; declare with SPIN_PUTS(n), before the first handler, how many at most for each received packet
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(buffer_put_alon, .payload = f);
