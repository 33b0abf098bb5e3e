/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * reduce - element-wise sum over a set of messages (PsPIN 4.3, "Data reduction")
 *
 * Each of n messages has m 32-bit integers; element i of the result is the sum of all messages' i-th
 * integers, modulo 2^32. The application sets n and m. Each cluster of the NIC's cores has its own sums.
 * The message that completes the set merges them and copies the result to host memory; then it writes n
 * directly after the result. The host may poll that word, or wait for the event, which only this message
 * has.
 *
 * Each message adds 1 to `complete` and reads it before and after. Several of the last messages may see the set become complete: the one
 * that then increments `sets` completes it. Messages beyond the set find it complete before.
 *
 * A packet that reaches beyond m fails, and none of it is added. Before another set the application must
 * reset the sums and `complete` to 0.
 */
#include <spin/spin.h>

#define REDUCE_ITEMS 2048

struct sums { uint32_t sum[REDUCE_ITEMS]; };

struct reduce {
	struct sums total; /* of the last complete set */
	uint32_t complete; /* messages completed so far */
	uint32_t sets;     /* completed */
	uint32_t messages; /* n, in the set; written by the application */
	uint32_t items;    /* m, of a message, at most REDUCE_ITEMS; written by the application */
};

SPIN_PER_CLUSTER(struct sums, sums);
SPIN_STATE(struct reduce, .messages = 1, .items = REDUCE_ITEMS);

static enum spin_payload_rc reduce_payload(struct spin_payload *p, struct reduce *r)
{
	uint32_t items = r->items, item = p->offset / sizeof(uint32_t);

	if (items > REDUCE_ITEMS || item > items || p->length / sizeof(uint32_t) > items - item)
		return SPIN_FAIL;
	SPIN_FOR_EACH_WITH(p, uint32_t, value, SPIN_LOCAL(p, sums)->sum, item, sum)
		spin_add32(sum, *value);
	return SPIN_SUCCESS;
}

static enum spin_completion_rc reduce_completion(struct spin_completion *c, struct reduce *r)
{
	uint32_t messages = r->messages, sets = spin_load32(&r->sets), before = spin_load32(&r->complete);

	spin_add32(&r->complete, 1);
	if (before >= messages || spin_load32(&r->complete) < messages || !spin_cas32(&r->sets, sets, sets + 1))
		return SPIN_COMPLETION_SUCCESS_PENDING;
	SPIN_MERGE(c, sums, &r->total);
	if (spin_dma_to_host(c, SPIN_ME_MEM, 0, &r->total, sizeof(r->total)) ||
	    spin_host_write(c, SPIN_ME_MEM, sizeof(r->total), &messages, sizeof(messages)))
		return SPIN_COMPLETION_SEGV;
	return SPIN_COMPLETION_SUCCESS;
}

/* One atomic addition per integer, in the L1 of the cluster that has the packet. No packet ends within an integer. */
SPIN_HANDLERS(reduce,
	      .payload = reduce_payload,
	      .message_completion = reduce_completion,
	      .fragmentation_bytes = sizeof(uint32_t),
	      .delivery = SPIN_DELIVER_ME);
