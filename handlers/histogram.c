/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * histogram - counts per value over a set of messages (PsPIN 4.3, "Histogram")
 *
 * Messages carry 32-bit integers. Counts how often each value from 0 to 1,023 occurs in a set of messages; the application
 * sets how many messages the set has. Each cluster of the NIC's cores has its own counts. The message that completes the set
 * merges them and copies the result to host memory. The host gets an event for this message only: those before it return the
 * _PENDING form, which suppresses it. A message after the set does the same again, with its own values counted, unless the
 * application has reset the counts and `complete` to 0.
 *
 * A packet that ends within an integer is not counted and fails: senders must send multiples of 4 bytes.
 *
 * With spincc -D HISTOGRAM_DATAGRAMS it takes plain datagrams, as on a program's own socket: it counts them on their way to the
 * program, which reads the sum of the clusters' counts whenever it wants.
 */
#include <spin/spin.h>

#define HISTOGRAM_VALUES 1024

/* The result's layout in host memory. */
struct counts {
	uint32_t count[HISTOGRAM_VALUES];
	uint32_t outside; /* larger values */
};

struct histogram {
	struct counts total; /* of the last complete set */
	uint32_t complete;   /* messages completed so far */
	uint32_t messages;   /* in the set; written by the application */
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

/* All values of a piece are loaded before the first is counted: using a value right after its load costs an HPU one more cycle. */
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

#ifndef HISTOGRAM_DATAGRAMS
/*
 * If the last two messages of a set complete at the same time, both may find it complete. Then
 * both merge and copy, with the same result, because nothing is left to count.
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
 * One atomic addition per integer, in the L1 of the cluster that has the packet, where it takes one cycle. A completion handler
 * reads three words of the state, which takes 22 cycles each in L2; in L1 it takes less for messages of that cluster.
 */
SPIN_HANDLERS(histogram,
	      .payload = histogram_payload,
	      .message_completion = histogram_completion,
	      .state_placement = SPIN_STATE_IN_L1,
	      .delivery = SPIN_DELIVER_ME);
#else
SPIN_HANDLERS(histogram, .payload = histogram_payload);
#endif
