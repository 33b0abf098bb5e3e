/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: spin_payload_to_host() in a header handler. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_header_rc first(struct spin_header *h, struct spin_no_state *unused)
{
	if (spin_payload_to_host(h, SPIN_ME_MEM, 0, 0, 4)) // compiler: this call takes the struct spin_payload * of a payload handler; SPIN_GET reads a first packet's payload
		return SPIN_HEADER_SEGV;
	return SPIN_HEADER_PROCESS_DATA;
}

SPIN_HANDLERS(header, .header = first, .delivery = SPIN_DELIVER_ME);
