/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: a hash in the state, searched in an unrolled loop (accepts.sh) */
#include <spin/spin.h>

/* A hash in the state: 0 marks a free slot. */
struct flows {
	struct {
		uint32_t src, packets;
	} slot[256];
};
SPIN_STATE(struct flows);

static enum spin_payload_rc f(struct spin_payload *p, struct flows *flows)
{
	uint32_t src = spin_src_addr4(p), home = src * 2654435769u >> 24;

#pragma unroll
	for (uint32_t i = 0; i < 8; i++) {
		__typeof__(&flows->slot[0]) s = SPIN_AT(flows->slot, (home + i) % 256);

		if (s && (spin_load32(&s->src) == src || spin_cas32(&s->src, 0, src) || spin_load32(&s->src) == src)) {
			spin_add32(&s->packets, 1);
			break;
		}
	}
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(hash_in_state, .payload = f);
