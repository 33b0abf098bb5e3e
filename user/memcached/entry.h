/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_MEMCACHED_ENTRY_H
#define USER_MEMCACHED_ENTRY_H

/* Writes entries of the cache that handlers read at the same time: the program's half of the protocol in <memcached.h>. */
#include <stddef.h>
#include <stdint.h>

#include <memcached.h>

/* What an entry gets; text and key need no zeros behind them. */
struct entry_content {
	uint32_t hash, version, epoch, until;
	uint32_t key_bytes, text_bytes;
	const void *key, *text;
};

/* The tick of a time of CLOCK_MONOTONIC_COARSE in ns. */
#define ENTRY_TICK(ns)            ((uint32_t)((ns) >> 30))
#define ENTRY_IS_BEFORE(tick, of) ((int32_t)((tick) - (of)) < 0)

uint32_t entry__version(const struct mc_cache *cache, uint32_t hash);
/* Of all keys. */
uint32_t entry__epoch(const struct mc_cache *cache);
/* 1: handlers answer from it. */
int entry__lives(const struct mc_cache *cache, const struct mc_entry *entry, uint32_t tick);

void entry__write(struct mc_entry *entry, const struct entry_content *content);
void entry__clear(struct mc_entry *entry);
/* Also those that a killed program has left half written. */
void entry__clear_all(struct mc_entry entries[MC_ENTRIES]);

/* For the content's key: its own, or the one that is worth least; NULL: each is worth more than `asked`. */
struct mc_entry *entry__victim(const struct mc_cache *cache, struct mc_entry entries[MC_ENTRIES], const struct entry_content *content,
			       uint32_t asked, uint32_t tick);

/* "VALUE <key> <flags> <bytes>\r\n<data>\r\nEND\r\n"; 0: it is longer than MC_TEXT_BYTES. */
uint32_t entry__text(char text[MC_TEXT_BYTES], const void *key, uint32_t key_bytes, uint32_t flags, const void *data, size_t bytes);

#endif
