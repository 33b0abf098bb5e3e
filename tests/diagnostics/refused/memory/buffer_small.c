/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: SPIN_BUFFER of 32 bytes, half the minimum. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;
SPIN_BUFFER(uint32_t, buf, 8); // compiler: SPIN_BUFFER buf: from 64 to 8192 bytes

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(buffer_small, .payload = f);
