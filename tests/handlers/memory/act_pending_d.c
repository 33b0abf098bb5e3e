/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_pending_d - datagrams select non-blocking atomic operations on host memory: two, of which the second is waited for first; one that is
 * never waited for; one that is polled; or one beside a transfer. Each must be done and give the old value. For tests/vectors/actions_dma.
 */
#include <spin/spin.h>

enum pending_op {
	PENDING_TWO,  /* adds `a`, and adds `b` `more` bytes after it; waits for the second first */
	PENDING_LEFT, /* adds `a`, and does not wait */
	PENDING_TEST, /* replaces `a` by `b`; polls until done */
	PENDING_MIX,  /* adds `b`, with a transfer from `more` bytes after it in flight at the same time */
};

/* little-endian */
struct pending_ask {
	uint8_t op, more;
	uint16_t at;
	uint32_t unused;
	uint64_t a, b;
};

struct pending {
	uint64_t first, second; /* old values; for PENDING_TEST the comparand afterwards */
	uint32_t word, unused;  /* PENDING_MIX: what the transfer read */
};
SPIN_STATE(struct pending);

/* Failure of the second addition must not affect the first. */
SPIN_INLINE int two(struct spin_payload *p, const struct pending_ask *ask, struct pending *state)
{
	uint64_t before = 0, after = 0;
	struct spin_dma first, second;
	int rc;

	if (spin_dma_fadd64_nb(p, SPIN_HANDLER_MEM, ask->at, ask->a, &before, &first))
		return SPIN_SEGV;
	rc = spin_dma_fadd64_nb(p, SPIN_HANDLER_MEM, ask->at + ask->more, ask->b, &after, &second);
	if (!rc)
		spin_dma_wait(p, &second);
	spin_dma_wait(p, &first);
	state->first = before;
	state->second = after;
	return rc;
}

SPIN_INLINE int test(struct spin_payload *p, const struct pending_ask *ask, struct pending *state)
{
	uint64_t compare = ask->a;
	struct spin_dma dma;

	if (spin_dma_cas64_nb(p, SPIN_HANDLER_MEM, ask->at, &compare, ask->b, &dma))
		return SPIN_SEGV;
	SPIN_WHILE(p, !spin_dma_test(p, &dma))
		spin_yield(p);
	state->first = compare;
	return 0;
}

SPIN_INLINE int mix(struct spin_payload *p, const struct pending_ask *ask, struct pending *state)
{
	struct spin_dma transfer, addition;
	uint32_t before = 0;

	if (spin_dma_from_host_nb(p, SPIN_HANDLER_MEM, ask->at + ask->more, &state->word, 4, &transfer) ||
	    spin_dma_fadd32_nb(p, SPIN_HANDLER_MEM, ask->at, (uint32_t)ask->b, &before, &addition))
		return SPIN_SEGV;
	spin_dma_wait(p, &addition);
	spin_dma_wait(p, &transfer);
	state->first = before;
	return 0;
}

static enum spin_payload_rc act_pending_d(struct spin_payload *p, struct pending *state)
{
	const struct pending_ask *ask = SPIN_GET(p, 0, struct pending_ask);
	struct spin_dma dma;
	int rc = SPIN_SEGV;

	if (!ask)
		return SPIN_FAIL;
	switch (ask->op) {
	case PENDING_TWO:
		rc = two(p, ask, state);
		break;
	case PENDING_LEFT:
		rc = spin_dma_fadd64_nb(p, SPIN_HANDLER_MEM, ask->at, ask->a, &state->first, &dma);
		break;
	case PENDING_TEST:
		rc = test(p, ask, state);
		break;
	case PENDING_MIX:
		rc = mix(p, ask, state);
		break;
	}
	return rc ? SPIN_SEGV : SPIN_SUCCESS;
}

SPIN_HANDLERS(act_pending_d, .payload = act_pending_d);
