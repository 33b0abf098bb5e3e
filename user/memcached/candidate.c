/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Table of the memcached keys that may become entries of the cache from which handlers answer GETs (candidate.h). Called by fill.c, which
 * asks memcached for their values and writes the entries. Keys come from handlers, so from packets that anybody can send: candidate__add()
 * takes only valid keys, since they go into commands.
 */
#include <string.h>

#include "user/memcached/candidate.h"

uint32_t candidate__hash(const void *key, uint32_t bytes)
{
	uint32_t hash = MC_HASH_START;

	for (uint32_t i = 0; i < bytes; i++)
		hash = mc_hash(hash, ((const uint8_t *)key)[i]);
	return hash;
}

/* The handlers' rule, checked again: a byte that ends a key would end the command that asks for it. */
static int is_valid_key(const uint8_t *key, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		if (mc_ends_key(key[i] | 0x21212100u) & 0x80808080u)
			return 0;
	return bytes && bytes <= MC_KEY_BYTES_MAX;
}

int candidate__add(struct candidates *all, const void *key, uint32_t bytes)
{
	struct candidate *slot = NULL;
	uint32_t hash;

	if (bytes > MC_KEY_BYTES_MAX || !is_valid_key(key, bytes) || all->count == CANDIDATES)
		return 0;
	hash = candidate__hash(key, bytes);
	for (uint16_t at = all->chain[hash % CANDIDATES]; at; at = all->place[at - 1].next) {
		const struct candidate *other = &all->place[at - 1];

		if (other->hash == hash && other->key_bytes == bytes && !memcmp(other->key, key, bytes))
			return 0;
	}
	for (uint32_t i = 0; !slot; i++)
		if (all->place[(hash + i) % CANDIDATES].state == CANDIDATE_FREE)
			slot = &all->place[(hash + i) % CANDIDATES];
	*slot = (struct candidate){ .state = CANDIDATE_NEW, .hash = hash, .key_bytes = bytes, .next = all->chain[hash % CANDIDATES] };
	memcpy(slot->key, key, bytes);
	all->chain[hash % CANDIDATES] = (uint16_t)(slot - all->place + 1);
	all->count++;
	return 1;
}

void candidate__remove(struct candidates *all, struct candidate *candidate)
{
	uint16_t *link = &all->chain[candidate->hash % CANDIDATES];

	while (*link != candidate - all->place + 1)
		link = &all->place[*link - 1].next;
	*link = candidate->next;
	candidate->state = CANDIDATE_FREE;
	all->count--;
}

void candidate__refuse(struct candidates *all, const struct candidate *candidate, int64_t until_ms)
{
	all->refused[candidate->hash % REFUSED] = (struct refused){ candidate->hash, candidate->version, candidate->epoch, until_ms };
}

int candidate__is_refused(const struct candidates *all, uint32_t hash, uint32_t version, uint32_t epoch, int64_t now_ms)
{
	const struct refused *refused = &all->refused[hash % REFUSED];

	return refused->hash == hash && refused->version == version && refused->epoch == epoch && now_ms < refused->until_ms;
}
