/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by the verifier: an unbounded index into an HPU buffer. Expected error: the faulty line's comment (verifier_refuses.sh) */
#include <spin/spin.h>

SPIN_NO_STATE;
SPIN_BUFFER(uint32_t, buf, 64);

static enum spin_payload_rc f(struct spin_payload *p, struct spin_no_state *unused)
{
	SPIN_BUFFER_OF(p, buf)[p->length] = 1; // verifier: the index may be beyond the array; take SPIN_AT(array, i) and test it for NULL, or mask i with a power of two
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(buffer_index, .payload = f);
