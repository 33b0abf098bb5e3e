/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a second SPIN_SCRATCHPAD. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

struct pad { uint32_t n, words[15]; };
struct other { uint32_t words[2]; };
SPIN_SCRATCHPAD(struct pad);
SPIN_SCRATCHPAD(struct other); // compiler: one SPIN_SCRATCHPAD per file; put everything into one struct

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	SPIN_SCRATCH(p)->n = 1;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(scratchpad, .payload = f, .delivery = SPIN_DELIVER_ME);
