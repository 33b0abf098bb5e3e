/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: SPIN_BUFFER with 48 entries, not a power of two. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;
SPIN_BUFFER(uint32_t, buf, 48); // compiler: SPIN_BUFFER buf: entries must be a power of two

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(buffer_entries, .payload = f);
