/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * kvstore - a key-value cache on the NIC (PsPIN 4.3, "Key-Value cache")
 *
 * A GET whose value is in the cache is answered here and never reaches the host. A
 * GET that misses, and every SET, is passed to the server with a lease on a cache
 * line: the one that has the key, or one allocated for it. The lease allows the
 * server to fill the line with its own value.
 *
 * Write policy: write-through, readable at commit. Handlers only clear VALID of a
 * line (eviction); only the server sets it, with the value in its own store. Before
 * it acknowledges a SET, every VALID line of that key has the new value or is no
 * longer VALID; until then the old value is the committed one. So a VALID line is
 * never older than the last acknowledged SET, whatever datagrams are lost, repeated
 * or reordered, and whatever other HPUs do. A reader that sees the same VALID tag
 * before and after copying a value has that line's value, because no line becomes
 * VALID twice under one sequence number.
 *
 * Eviction is second chance (clock) within the set: a read line gets a second chance.
 */
#include <spin/spin.h>
#include <kvstore.h>

SPIN_STATE(struct kv_cache);

/* Returns the line that has the key according to `near`, a copy of the set, and sets *way. Returns NULL if there is none. */
static inline struct kv_line *kv_find(struct kv_set *set, const struct kv_set *near, uint32_t key, uint32_t *way)
{
	for (uint32_t w = 0; w < KV_WAYS; w++) {
		struct kv_line *line = &set->line[w];
		const struct kv_line *seen = SPIN_FETCHED(line, set, near);

		if (spin_load32(&seen->key) == key && spin_load32(&seen->tag)) {
			*way = w;
			return line;
		}
	}
	return 0;
}

/* Returns the line to evict: the first one, from the clock's hand on, that was not read recently. */
static inline struct kv_line *kv_victim(struct kv_set *set, uint32_t *way)
{
	uint32_t clock = set->clock, hand = clock >> 4 & 3, used = clock & 15;

	for (uint32_t w = 0; w < KV_WAYS && used >> hand & 1; w++) {
		used &= ~(1u << hand);
		hand = (hand + 1) & 3;
	}
	set->clock = ((hand + 1) & 3) << 4 | used;
	*way = hand;
	return SPIN_AT(set->line, hand);
}

/*
 * Allocates a line for a key, with a new sequence number and PENDING, if it is still as `seen`. Returns its tag; 0 if another HPU took it.
 */
static inline uint32_t kv_take(struct kv_line *line, const struct kv_line *seen, uint32_t key)
{
	uint32_t tag = spin_load32(&seen->tag), taken = (tag & ~KV_STATE_MASK) + 4;

	if ((tag & KV_STATE_MASK) == KV_BUSY)
		return 0;
	if (!taken)
		taken = 4; /* sequence 0 is for lines never used */
	if (!spin_cas32(&line->tag, tag, taken | KV_BUSY))
		return 0;
	line->key = key;
	spin_store32(&line->tag, taken | KV_PENDING);
	return taken;
}

/*
 * Answers a GET from a line. If the tag is the same VALID one before and after key and value are read, the line was VALID all
 * the time in between, so they belong together. Returns 0 otherwise.
 */
static inline _Bool kv_read(struct spin_payload *p, const struct kv_message *m, const struct kv_line *line, uint32_t key)
{
	uint32_t tag = spin_load32(&line->tag), value[KV_WORDS];
	struct kv_line buffer;
	const struct kv_line *near;

	if ((tag & KV_STATE_MASK) != KV_VALID)
		return 0;
	near = SPIN_FETCH(p, line, &buffer);
	if (spin_load32(&near->key) != key)
		return 0;
	for (int i = 0; i < KV_WORDS; i++)
		value[i] = *(const volatile uint32_t *)&near->value[i];
	if (spin_load32(&line->tag) != tag)
		return 0;
	spin_set16(p, &m->op, spin_hton16(KV_REPLY));
	spin_set16(p, &m->found, spin_hton16(1));
	for (int i = 0; i < KV_WORDS; i++)
		spin_set32(p, &m->value[i], value[i]);
	return 1;
}

/* Answers a GET of a line that is filled. All other requests go to the server, with the lease by which it fills the line. */
static enum spin_payload_rc kvstore_payload(struct spin_payload *p, struct kv_cache *cache)
{
	const struct kv_message *m = SPIN_GET(p, 0, struct kv_message);
	const struct kv_set *near;
	struct kv_line *line;
	struct kv_set *set, buffer;
	uint32_t key, way, tag, lease = 0;

	if (!m || (m->op != spin_hton16(KV_GET) && m->op != spin_hton16(KV_SET)))
		return SPIN_SUCCESS; /* not a request: the server refuses it */
	key = spin_ntoh32(m->key);
	set = SPIN_AT(cache->set, key % KV_SETS);
	if (!set)
		return SPIN_SEGV;
	near = SPIN_FETCH(p, set, &buffer);
	line = kv_find(set, near, key, &way);

	if (!line) {
		line = kv_victim(set, &way);
		if (line && (tag = kv_take(line, SPIN_FETCHED(line, set, near), key)))
			lease = tag | way;
	} else if (m->op == spin_hton16(KV_GET) && kv_read(p, m, line, key)) {
		if (!(near->clock >> way & 1))
			set->clock |= 1u << way;
		return spin_reply(p, sizeof(*m));
	} else { /* a SET, or a GET of a line that the server has not filled yet: share the lease */
		lease = (spin_load32(&SPIN_FETCHED(line, set, near)->tag) & ~KV_STATE_MASK) | way;
	}
	spin_set32(p, &m->lease, lease);
	return SPIN_SUCCESS;
}

SPIN_HANDLERS(kvstore, .payload = kvstore_payload);
