/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a put from host memory, sent for a datagram. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;
SPIN_PUTS(1);

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	struct spin_put put = { .target = spin_source(p) };

	if (spin_put_from_host(p, 0, 64, &put)) // compiler: spin_put_from_host is for messages: a datagram has no matching entry; send from HPU memory with spin_put_from_device
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(put, .payload = f);
