/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: an unsigned long as the state. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

SPIN_STATE(unsigned long, 0); // compiler: 'spin_state' is an unsigned long, which has 8 bytes in the kernel and 4 on an HPU; use int32_t, uint32_t, int64_t or uint64_t

static enum spin_payload_rc f(struct spin_payload *p, unsigned long *state)
{
	*state = p->length;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(state_is_long, .payload = f);
