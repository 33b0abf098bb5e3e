/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Accepted by spincc and the verifier: types in state and tables that have one width everywhere (accepts.sh) */
#include <spin/spin.h>

typedef uint64_t nanoseconds;

/* These types have the same width on an HPU and in the kernel, although one compiler defines some of them as long. */
struct tally {
	uint8_t flags : 3, rest : 5;
	_Bool seen;
	enum { FREE, TAKEN } use;
	int64_t sum;
	volatile nanoseconds last;
	long long more;
	uint_least64_t least;
	union {
		const uint64_t whole;
		struct {
			spin_be32 high, low;
		};
	} words[2];
};
SPIN_STATE(struct tally, .words = { { .high = 1 } });

struct rate {
	SPIN_KEY(spin_be32, src);
	SPIN_COUNTER(packets);
	SPIN_READ_ONLY(nanoseconds, every);
};
SPIN_TABLE(rates, struct rate, 16);

static enum spin_payload_rc f(struct spin_payload *p, struct tally *state)
{
	struct rate *r = SPIN_FIND(rates, spin_src_addr4(p));

	if (r)
		state->last = r->every;
	state->sum = sizeof(*state);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(fixed_widths, .payload = f);
