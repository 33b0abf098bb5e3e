/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: spin_forward() without SPIN_PUTS. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	struct spin_process to = spin_source(p);

	if (spin_forward(p, &to)) // compiler: it sends packets; declare with SPIN_PUTS(n), before the first handler, how many at most for each received packet
		return SPIN_SEGV;
	return SPIN_DROP;
}

SPIN_HANDLERS(puts, .payload = f);
