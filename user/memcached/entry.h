/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_MEMCACHED_ENTRY_H
#define USER_MEMCACHED_ENTRY_H

/*
 * Writes entries (a key and memcached's answer to a GET of it) of the cache from which handlers answer, while they read it; <memcached.h>
 * has the layout and when an entry is valid. Called by fill.c, which asks memcached for the values. `version` (per hash of a key) and
 * `epoch` (all keys) change with each command that may change a value; an entry with older ones is not used.
 */
#include <stddef.h>
#include <stdint.h>

#include <memcached.h>

/* The content of an entry; text and key need no padding. */
struct entry_content {
	uint32_t hash, version, epoch, until;
	uint32_t key_bytes, text_bytes;
	const void *key, *text;
};

/* Converts a time of CLOCK_MONOTONIC_COARSE in ns to ticks of 2^30 ns. */
#define ENTRY_TICK(ns)            ((uint32_t)((ns) >> 30))
#define ENTRY_IS_BEFORE(tick, of) ((int32_t)((tick) - (of)) < 0)

uint32_t entry__version(const struct mc_cache *cache, uint32_t hash);
/* Returns the epoch, which is common to all keys. */
uint32_t entry__epoch(const struct mc_cache *cache);
/* Returns 1 if handlers answer from the entry at `tick`. */
int entry__is_live(const struct mc_cache *cache, const struct mc_entry *entry, uint32_t tick);

void entry__write(struct mc_entry *entry, const struct entry_content *content);
void entry__clear(struct mc_entry *entry);
/* Clears also entries that a killed program has left half written. */
void entry__clear_all(struct mc_entry entries[MC_ENTRIES]);

/*
 * Returns the entry to overwrite with `content`: the one that has this key, an unused one, or the one with the fewest hits. NULL if that
 * one has more than `asked` hits.
 */
struct mc_entry *entry__victim(const struct mc_cache *cache, struct mc_entry entries[MC_ENTRIES], const struct entry_content *content,
			       uint32_t asked, uint32_t tick);

/* Writes "VALUE <key> <flags> <bytes>\r\n<data>\r\nEND\r\n". Returns its length, or 0 if that exceeds MC_TEXT_BYTES. */
uint32_t entry__text(char text[MC_TEXT_BYTES], const void *key, uint32_t key_bytes, uint32_t flags, const void *data, size_t bytes);

#endif
