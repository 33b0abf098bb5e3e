/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a user header of 257 bytes, one too many. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_header_rc first(struct spin_header *h, struct spin_no_state *unused)
{
	return SPIN_HEADER_PROCESS_DATA;
}

SPIN_HANDLERS(user_header, .header = first, .delivery = SPIN_DELIVER_ME, .user_header_bytes = 257); // compiler: user_header_bytes is 257, at most 256
