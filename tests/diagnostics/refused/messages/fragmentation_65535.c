/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: fragments of 65535 bytes. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(registers, .payload = f, .delivery = SPIN_DELIVER_ME, .fragmentation_bytes = 65535); // compiler: fragmentation_bytes is 65535: a power of two, at most 64
