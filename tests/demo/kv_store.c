/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The key-value server's table in memory: a hash table with open addressing. Used by kv_server.c and kv_replay.c (kv_store.h); one thread.
 */
#include <stdlib.h>

#include "tests/demo/kv_store.h"

struct entry {
	uint32_t key;
	uint32_t used;
	uint32_t value[KV_WORDS];
};

/* Open addressing, linear probing, at most half full. */
struct kv_store {
	uint32_t capacity; /* number of entries, a power of two */
	uint32_t keys, keys_max;
	struct entry entry[];
};

struct kv_store *kv_store__new(uint32_t keys)
{
	struct kv_store *store;
	uint32_t capacity = 2;

	while (capacity < 1u << 30 && capacity / 2 < keys)
		capacity *= 2;
	store = calloc(1, sizeof(*store) + (size_t)capacity * sizeof(struct entry));
	if (!store)
		return NULL;
	store->capacity = capacity;
	store->keys_max = capacity / 2;
	return store;
}

void kv_store__free(struct kv_store *store)
{
	free(store);
}

/* Returns the key's entry, or the free entry where it would be stored. */
static struct entry *find(const struct kv_store *store, uint32_t key)
{
	uint32_t at = (uint32_t)((uint64_t)(key * 2654435769u) * store->capacity >> 32);

	while (store->entry[at].used && store->entry[at].key != key)
		at = (at + 1) & (store->capacity - 1);
	return (struct entry *)&store->entry[at];
}

uint32_t *kv_store__get(const struct kv_store *store, uint32_t key)
{
	struct entry *entry = find(store, key);

	return entry->used ? entry->value : NULL;
}

uint32_t *kv_store__put(struct kv_store *store, uint32_t key)
{
	struct entry *entry = find(store, key);

	if (!entry->used) {
		if (store->keys == store->keys_max)
			return NULL;
		store->keys++;
		entry->used = 1;
		entry->key = key;
	}
	return entry->value;
}
