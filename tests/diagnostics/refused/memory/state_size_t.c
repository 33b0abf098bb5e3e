/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Refused by spincc: a size_t in the state. Expected error: the faulty line's comment (compilers_refuse.sh) */
#include <spin/spin.h>

#include <stddef.h>

struct slot { uint32_t key; };
struct tally {
	uint32_t n;
	struct slot first;
	struct {
		enum { FREE, TAKEN } use;
		size_t bytes; // compiler: 'bytes' is a size_t, which has 8 bytes in the kernel and 4 on an HPU; use int32_t, uint32_t, int64_t or uint64_t
	} rows[4];
};
SPIN_STATE(struct tally);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	state->n = p->length;
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(state_size_t, .payload = f);
