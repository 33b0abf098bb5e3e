/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads and writes entries of the cache from which handlers answer memcached's GETs (entry.h). Called by fill.c, which asks memcached for
 * the values. Handlers read while an entry is written: its tag becomes odd before the first word changes and even after the last one, so a
 * reader that finds the same even tag before and after has read one complete entry.
 */
#include <stdio.h>
#include <string.h>

#include "user/memcached/entry.h"

static uint32_t load(const uint32_t *at)
{
	return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

static void store(uint32_t *at, uint32_t value)
{
	__atomic_store_n(at, value, __ATOMIC_RELAXED);
}

uint32_t entry__version(const struct mc_cache *cache, uint32_t hash)
{
	return load(&cache->version[MC_VERSION_OF(hash)]);
}

uint32_t entry__epoch(const struct mc_cache *cache)
{
	return load(&cache->epoch) + load(&cache->missed);
}

int entry__is_live(const struct mc_cache *cache, const struct mc_entry *entry, uint32_t tick)
{
	return entry->key_bytes && !(entry->tag & 1) && ENTRY_IS_BEFORE(tick, entry->until) &&
	       entry->version == entry__version(cache, entry->hash) && entry->epoch == entry__epoch(cache);
}

/* Stores whole words; pads the last one with zeros. */
static void store_bytes(void *to, size_t words, const void *from, size_t bytes)
{
	for (size_t i = 0; i < words; i++) {
		const size_t left = bytes > 4 * i ? bytes - 4 * i : 0;
		uint32_t word = 0;

		if (left)
			memcpy(&word, (const char *)from + 4 * i, left < 4 ? left : 4);
		store((uint32_t *)to + i, word);
	}
}

void entry__write(struct mc_entry *entry, const struct entry_content *content)
{
	const uint32_t odd = load(&entry->tag) | 1;

	store(&entry->tag, odd);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	store(&entry->hash, content->hash);
	store(&entry->version, content->version);
	store(&entry->epoch, content->epoch);
	store(&entry->until, content->until);
	store(&entry->key_bytes, content->key_bytes);
	store(&entry->text_bytes, content->text_bytes);
	store(&entry->hits, 0);
	store_bytes(entry->key, sizeof(entry->key) / 4, content->key, content->key_bytes);
	store_bytes(entry->text, sizeof(entry->text) / 4, content->text, content->text_bytes);
	/* tag 0 means never written */
	__atomic_store_n(&entry->tag, odd + 1 ? odd + 1 : 2, __ATOMIC_RELEASE);
}

void entry__clear(struct mc_entry *entry)
{
	const struct entry_content empty = { 0 };

	entry__write(entry, &empty);
}

void entry__clear_all(struct mc_entry entries[MC_ENTRIES])
{
	for (uint32_t i = 0; i < MC_ENTRIES; i++)
		if (entries[i].key_bytes || entries[i].tag & 1)
			entry__clear(&entries[i]);
}

struct mc_entry *entry__victim(const struct mc_cache *cache, struct mc_entry entries[MC_ENTRIES], const struct entry_content *content,
			       uint32_t asked, uint32_t tick)
{
	struct mc_entry *coldest = NULL, *stale = NULL;

	for (uint32_t w = 0; w < MC_WAYS; w++) {
		struct mc_entry *entry = &entries[MC_FIRST_OF(content->hash) + w];

		if (entry->hash == content->hash && entry->key_bytes == content->key_bytes &&
		    !memcmp(entry->key, content->key, content->key_bytes))
			return entry;
		if (!entry__is_live(cache, entry, tick))
			stale = entry;
		else if (!coldest || load(&entry->hits) < load(&coldest->hits))
			coldest = entry;
	}
	if (stale)
		return stale;
	return load(&coldest->hits) <= asked ? coldest : NULL;
}

uint32_t entry__text(char text[MC_TEXT_BYTES], const void *key, uint32_t key_bytes, uint32_t flags, const void *data, size_t bytes)
{
	static const char end[] = "\r\nEND\r\n";
	char numbers[48];
	const size_t middle = (size_t)snprintf(numbers, sizeof(numbers), " %u %zu\r\n", flags, bytes), head = 6 + key_bytes + middle;

	if (bytes > MC_TEXT_BYTES || head + bytes + sizeof(end) - 1 > MC_TEXT_BYTES)
		return 0;
	memcpy(text + head, data, bytes);
	memcpy(text, "VALUE ", 6);
	memcpy(text + 6, key, key_bytes);
	memcpy(text + 6 + key_bytes, numbers, middle);
	memcpy(text + head + bytes, end, sizeof(end) - 1);
	return (uint32_t)(head + bytes + sizeof(end) - 1);
}
