/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * histogram - counts per value over a set of messages (PsPIN 4.3, "Histogram")
 *
 * Messages carry 32-bit integers. How many there are of each value from 0 to 1,023 is
 * counted over all messages of a set, of which the application says how many they are. Every
 * cluster counts for itself. The message that completes the set merges the counts and copies
 * them to host memory, and the host is told of this one only: the others return the _PENDING form.
 *
 * A packet that ends within an integer is not counted and fails: senders send multiples of 4.
 */
#include <spin/spin.h>

#define HISTOGRAM_VALUES 1024

/* As it is written to host memory. */
struct counts {
	uint32_t count[HISTOGRAM_VALUES];
	uint32_t outside; /* values beyond those */
};

struct histogram {
	struct counts total; /* of the last set that was complete */
	uint32_t complete;   /* messages */
	uint32_t messages;   /* of the set: the application's to write */
};

SPIN_PER_CLUSTER(struct counts, counts);
SPIN_STATE(struct histogram, .messages = 1);

static inline void histogram_count(struct counts *local, uint32_t value)
{
	uint32_t *count = SPIN_AT(local->count, value);

	if (count)
		spin_add32(count, 1);
	else
		spin_add32(&local->outside, 1);
}

/* Loaded before they are counted: a load whose value is needed at once costs an HPU a cycle more. */
struct four { uint32_t value[4]; };
struct two { uint32_t value[2]; };

static inline void histogram_count_four(struct counts *local, const struct four *at)
{
	uint32_t a = at->value[0], b = at->value[1], c = at->value[2], d = at->value[3];

	histogram_count(local, a);
	histogram_count(local, b);
	histogram_count(local, c);
	histogram_count(local, d);
}

static enum spin_payload_rc histogram_payload(struct spin_payload *p, struct histogram *unused)
{
	struct counts *local = SPIN_LOCAL(p, counts);
	uint32_t rest = p->length & ~(uint32_t)(sizeof(struct four) - 1);
	const struct two *two;
	const uint32_t *one;

	if (p->length % sizeof(uint32_t))
		return SPIN_FAIL;
	SPIN_ROUNDS(8)
	SPIN_FOR_EACH(p, struct four, at) {
		histogram_count_four(local, at);
	}
	two = SPIN_GET(p, rest, struct two);
	if (two) {
		uint32_t a = two->value[0], b = two->value[1];

		histogram_count(local, a);
		histogram_count(local, b);
		rest += sizeof(*two);
	}
	one = SPIN_GET(p, rest, uint32_t);
	if (one)
		histogram_count(local, *one);
	return SPIN_SUCCESS;
}

/*
 * The last two messages of a set may complete at the same time, and both find it
 * complete: then both merge and copy, and the same, as nothing is left to count.
 */
static enum spin_completion_rc histogram_completion(struct spin_completion *c, struct histogram *h)
{
	spin_add32(&h->complete, 1);
	if (spin_load32(&h->complete) < h->messages)
		return SPIN_COMPLETION_SUCCESS_PENDING;
	SPIN_MERGE(c, counts, &h->total);
	if (spin_dma_to_host(c, SPIN_ME_MEM, 0, &h->total, sizeof(h->total)))
		return SPIN_COMPLETION_SEGV;
	return SPIN_COMPLETION_SUCCESS;
}

/*
 * One atomic addition per integer, in the L1 of whichever cluster has the packet: there that takes a cycle. A completion
 * handler needs three words of the state, each 22 cycles away in L2; in an L1 they are near for the messages of its cluster.
 */
SPIN_HANDLERS(histogram,
	      .payload = histogram_payload,
	      .message_completion = histogram_completion,
	      .state_placement = SPIN_STATE_IN_L1,
	      .delivery = SPIN_DELIVER_ME);
