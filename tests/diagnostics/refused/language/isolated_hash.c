/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A hash in the handlers' state, searched in a loop without #pragma unroll. No line is marked as faulty, so no test uses this file. */
#include <spin/spin.h>

/* A hash in the state: 0 marks a free slot. */
struct flows { struct { uint32_t src, packets; } slot[256]; };
SPIN_STATE(struct flows);

static enum spin_payload_rc f(struct spin_payload *p, struct flows *flows)
{
	uint32_t src = spin_src_addr4(p), home = src * 2654435769u >> 24;

	for (uint32_t i = 0; i < 8; i++) {
		__typeof__(&flows->slot[0]) s = SPIN_AT(flows->slot, (home + i) % 256);

		if (s && (spin_load32(&s->src) == src || spin_cas32(&s->src, 0, src) || spin_load32(&s->src) == src)) {
			spin_add32(&s->packets, 1);
			break;
		}
	}
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(isolated_hash, .payload = f);
