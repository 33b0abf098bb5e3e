/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a user header that is not a multiple of fragments. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(registers, .payload = f, .delivery = SPIN_DELIVER_ME, .fragmentation_bytes = 16, .user_header_bytes = 24); // compiler: user_header_bytes is 24, no multiple of fragmentation_bytes, 16: what follows the user header would not lie as promised
