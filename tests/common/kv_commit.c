/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The server's half of the cache that kvstore's handlers answer GETs from (<kvstore.h>). Called by the demo's server and
 * tests/unit/cache_is_never_stale.c, on one thread. A cache line has a tag: a sequence number and a state, PENDING (a value is missing),
 * BUSY (being changed) or VALID (may be read). A lease, which the handlers add to a request, names a line and its sequence number: the
 * server may fill that line. Why a VALID line never has an older value than the last acknowledged SET:
 *
 * 1. Only the code below makes a line VALID. It runs on one thread, and writes the value that the store holds at that moment for the line's
 * key.
 * 2. A SET's commit runs between the change of the store and the acknowledgement. It first clears VALID on every line of the key, then sets
 * it on one of them, with the new value. The handlers only clear VALID. A line whose owner changes while the loop examines it is not VALID.
 * 3. VALID(s) is entered once per sequence s of a line, and left only towards s + 1. So a reader that saw VALID(s) before and after copying
 * has one consistent value.
 *
 * 1 to 3 hold for any lease: leases only improve the hit rate. A datagram that reaches the server without passing the handlers, such as a
 * fragment, may carry any lease.
 *
 * Reordering and loss: a lease whose line has moved on names a sequence that no longer exists, and has no effect. A line whose request was
 * lost stays PENDING until the next request for its key gets the same lease. If a GET fills a line during a SET, the line has the old
 * value, which no acknowledgement has replaced yet; the SET's commit clears it.
 */
#include <stddef.h>

#include "tests/common/kv_commit.h"

static uint32_t load(const uint32_t *at)
{
	return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}

static int cas(uint32_t *at, uint32_t expect, uint32_t swap)
{
	return __atomic_compare_exchange_n(at, &expect, swap, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Returns the next tag, with another state. Sequence 0 is reserved for lines that were never used. */
static uint32_t next_tag(uint32_t tag, enum kv_state state)
{
	uint32_t next = (tag & ~KV_STATE_MASK) + 4;

	return (next ? next : 4) | state;
}

/* The line must be BUSY, and this thread must have made it so. */
static void write_value(struct kv_line *line, const uint32_t *value)
{
	for (int i = 0; i < KV_WORDS; i++)
		__atomic_store_n(&line->value[i], value[i], __ATOMIC_RELAXED);
	__atomic_store_n(&line->tag, (line->tag & ~KV_STATE_MASK) | KV_VALID, __ATOMIC_SEQ_CST);
}

void kv_cache_fill(struct kv_cache *cache, uint32_t key, const uint32_t value[KV_WORDS], uint32_t lease)
{
	struct kv_line *line = &cache->set[key % KV_SETS].line[lease & (KV_WAYS - 1)];
	uint32_t sequence = lease & ~KV_STATE_MASK;

	if (!sequence || !cas(&line->tag, sequence | KV_PENDING, sequence | KV_BUSY))
		return;
	if (load(&line->key) == key)
		write_value(line, value);
	else /* the lease is for a line with another key */
		__atomic_store_n(&line->tag, sequence | KV_PENDING, __ATOMIC_SEQ_CST);
}

void kv_cache_commit(struct kv_cache *cache, uint32_t key, const uint32_t value[KV_WORDS], uint32_t lease)
{
	struct kv_set *set = &cache->set[key % KV_SETS];
	struct kv_line *chosen = NULL;

	for (int way = 0; way < KV_WAYS; way++) {
		struct kv_line *line = &set->line[way];
		uint32_t tag = load(&line->tag);

		/* if the exchange fails an HPU has taken the line, so it is not VALID either */
		if ((tag & KV_STATE_MASK) == KV_VALID && load(&line->key) == key &&
		    cas(&line->tag, tag, next_tag(tag, chosen ? KV_PENDING : KV_BUSY)) && !chosen)
			chosen = line;
	}
	if (chosen)
		write_value(chosen, value);
	else
		kv_cache_fill(cache, key, value, lease);
}
