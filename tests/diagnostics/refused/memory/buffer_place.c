/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a datagram's buffer written to a message's entry. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;
SPIN_BUFFER(uint32_t, buf, 64);

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	if (spin_buffer_to_host(p, SPIN_ME_MEM, 0, buf, 0, 4)) // compiler: SPIN_ME_MEM is the memory of a message's matching entry, which a datagram does not have; use SPIN_HANDLER_MEM
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(buffer_place, .payload = f);
