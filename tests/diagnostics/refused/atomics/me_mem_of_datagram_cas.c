/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a datagram's compare-and-swap in a message's entry. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	uint64_t was = 0;

	if (spin_dma_cas64(p, SPIN_ME_MEM, 8, &was, 1)) // compiler: SPIN_ME_MEM is the memory of a message's matching entry, which a datagram does not have; use SPIN_HANDLER_MEM
		return SPIN_SEGV;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(me_mem, .payload = f);
