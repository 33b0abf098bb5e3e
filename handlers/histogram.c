/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * histogram - counts per value over a set of messages (PsPIN 4.3, "Histogram")
 *
 * Messages carry 32-bit integers. How many there are of each value from 0 to 1,023 is
 * counted over all messages of a set, of which the application says how many they are.
 * The message that completes the set copies the histogram to host memory, and the host
 * is told of this one only: the others return the _PENDING form.
 *
 * A packet that ends within an integer is not counted and fails: senders send multiples of 4.
 */
#include <spin/spin.h>

#define HISTOGRAM_VALUES 1024

struct histogram {
	uint32_t count[HISTOGRAM_VALUES];
	uint32_t outside;  /* values beyond those */
	uint32_t complete; /* messages */
	uint32_t messages; /* of the set: the application's to write */
};

/* Written to host memory: counts and what was outside. */
#define HISTOGRAM_BYTES (sizeof(uint32_t) * (HISTOGRAM_VALUES + 1))

SPIN_STATE(struct histogram, .messages = 1);

static enum spin_payload_rc histogram_payload(struct spin_payload *p, struct histogram *h)
{
	if (p->length % sizeof(uint32_t))
		return SPIN_FAIL;
	SPIN_FOR_EACH(p, uint32_t, value) {
		uint32_t *count = SPIN_AT(h->count, *value);

		if (count)
			spin_add32(count, 1);
		else
			spin_add32(&h->outside, 1);
	}
	return SPIN_SUCCESS;
}

/*
 * The last two messages of a set may complete at the same time, and both find it
 * complete: then both copy, and the same, as nothing is left to count.
 */
static enum spin_completion_rc histogram_completion(struct spin_completion *c, struct histogram *h)
{
	spin_add32(&h->complete, 1);
	if (spin_load32(&h->complete) < h->messages)
		return SPIN_COMPLETION_SUCCESS_PENDING;
	if (spin_dma_to_host(c, SPIN_ME_MEM, 0, h, HISTOGRAM_BYTES))
		return SPIN_COMPLETION_SEGV;
	return SPIN_COMPLETION_SUCCESS;
}

/* One atomic addition per integer: the counters are in L1, where that takes a cycle. */
SPIN_HANDLERS(histogram,
	      .payload = histogram_payload,
	      .message_completion = histogram_completion,
	      .state_placement = SPIN_STATE_IN_L1,
	      .delivery = SPIN_DELIVER_ME);
