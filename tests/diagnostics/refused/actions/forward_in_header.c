/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: spin_forward() in a header handler. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;
SPIN_PUTS(1);

static enum spin_header_rc f(struct spin_header *h, struct spin_no_state *unused)
{
	struct spin_process to = spin_source(h);

	if (spin_forward(h, &to)) // compiler: this call takes the struct spin_payload * of a payload handler; SPIN_GET reads a first packet's payload
		return SPIN_HEADER_SEGV;
	return SPIN_HEADER_DROP;
}

SPIN_HANDLERS(forward, .header = f, .delivery = SPIN_DELIVER_ME);
