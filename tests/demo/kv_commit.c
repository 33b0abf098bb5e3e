/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Why a VALID line never has an older value than the last acknowledged SET:
 *
 * 1. Only the code below makes a line VALID, on one thread, with the value that
 *    the store holds at that moment for the key that the line holds.
 * 2. A SET's commit runs between the change of the store and the
 *    acknowledgement. When its loop is over no line of the key is VALID with
 *    another value: HPUs only take VALID away, and a line that changes hands
 *    while the loop looks at it is not VALID.
 * 3. VALID(s) is entered once per sequence s of a line and left towards s + 1
 *    only. So a reader that saw VALID(s) before and after copying has one value.
 *
 * The value is written by the server also where a SET staged it: a datagram
 * that reaches the server past the handlers (fragments, say) may carry any
 * lease, and then what is staged in the leased line is another SET's. So leases
 * serve the hit rate only; whatever a lease says, 1 to 3 hold.
 *
 * Reordering and loss: a lease whose line has moved on names a sequence that is
 * no more, and does nothing; a line whose request was lost stays PENDING or
 * STAGED until the next GET of its key shares the lease. One that a GET fills
 * while a SET to it is under way has the old value, not yet overtaken by an
 * acknowledgement; the SET's commit takes it.
 */
#include "tests/demo/kv_commit.h"

static uint32_t load(const uint32_t *at)
{
	return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}

static int cas(uint32_t *at, uint32_t expect, uint32_t swap)
{
	return __atomic_compare_exchange_n(at, &expect, swap, 0, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

/* The line becomes the key's with no value, under a new sequence; 0 is for lines never used. */
static uint32_t next_pending(uint32_t tag)
{
	uint32_t next = (tag & ~KV_STATE_MASK) + 4;

	return (next ? next : 4) | KV_PENDING;
}

/* Makes the leased line VALID if its state is one of `from` (bits by enum kv_state) and the key's. */
static void publish(struct kv_set *set, uint32_t key, const uint32_t *value, uint32_t lease,
		    unsigned from)
{
	struct kv_line *line = &set->line[lease & (KV_WAYS - 1)];
	uint32_t sequence = lease & ~KV_STATE_MASK, tag = load(&line->tag);

	if (!sequence || (tag & ~KV_STATE_MASK) != sequence)
		return;
	if (!(from >> (tag & KV_STATE_MASK) & 1) || !cas(&line->tag, tag, sequence | KV_BUSY))
		return;
	if (load(&line->key) == key) {
		for (int i = 0; i < KV_WORDS; i++)
			__atomic_store_n(&line->value[i], value[i], __ATOMIC_RELAXED);
		tag = sequence | KV_VALID;
	}
	__atomic_store_n(&line->tag, tag, __ATOMIC_SEQ_CST);
}

void kv_cache_fill(struct kv_cache *cache, uint32_t key, const uint32_t value[KV_WORDS],
		   uint32_t lease)
{
	publish(&cache->set[key % KV_SETS], key, value, lease, 1u << KV_PENDING | 1u << KV_STAGED);
}

void kv_cache_commit(struct kv_cache *cache, uint32_t key, const uint32_t value[KV_WORDS],
		     uint32_t lease)
{
	struct kv_set *set = &cache->set[key % KV_SETS];

	for (int way = 0; way < KV_WAYS; way++) {
		struct kv_line *line = &set->line[way];
		uint32_t tag = load(&line->tag);

		/* a failed exchange: an HPU has taken the line, so it is not VALID either */
		if ((tag & KV_STATE_MASK) == KV_VALID && load(&line->key) == key)
			(void)cas(&line->tag, tag, next_pending(tag));
	}
	publish(set, key, value, lease, 1u << KV_STAGED);
}
