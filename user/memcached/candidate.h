/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_MEMCACHED_CANDIDATE_H
#define USER_MEMCACHED_CANDIDATE_H

/*
 * Keys that may become entries of the cache from which handlers answer memcached's GETs, in a bounded hash table, and keys that memcached
 * could not give recently. Called by fill.c, which asks memcached for their values and writes the entries. A key becomes an entry only
 * after a quarantine: a wait until memcached has executed all that it had received before.
 */
#include <stdint.h>

#include <memcached.h>

#define CANDIDATES 2048u

/* How far a candidate is from becoming an entry. */
enum candidate_state {
	CANDIDATE_FREE,
	CANDIDATE_NEW,     /* not yet in a quarantine */
	CANDIDATE_WAITING, /* in quarantine since `version` and `epoch` were read */
	CANDIDATE_CLEARED, /* the quarantine has ended: memcached may be asked while both are unchanged */
};

/* A candidate: its key, and the counts of mutations when its quarantine began. */
struct candidate {
	enum candidate_state state;
	uint32_t hash, version, epoch;
	uint32_t key_bytes;
	uint8_t key[MC_KEY_BYTES_MAX];
	uint16_t tries; /* quarantines during which a mutation changed the key */
	uint16_t next;  /* next of the same chain: index + 1; 0: end */
};

#define REFUSED 1024u

/* All candidates. */
struct candidates {
	unsigned count;
	uint16_t chain[CANDIDATES];
	struct candidate place[CANDIDATES];
	/*
	 * Keys that memcached does not have or whose values do not fit, by hash. They are asked for again after a mutation or after
	 * `until_ms`.
	 */
	struct refused {
		uint32_t hash, version, epoch;
		int64_t until_ms;
	} refused[REFUSED];
};

uint32_t candidate__hash(const void *key, uint32_t bytes);
/* Returns 1 if the key was added; 0 if it is known already, the table is full, or it is not a valid key. */
int candidate__add(struct candidates *all, const void *key, uint32_t bytes);
void candidate__remove(struct candidates *all, struct candidate *candidate);

void candidate__refuse(struct candidates *all, const struct candidate *candidate, int64_t until_ms);
int candidate__is_refused(const struct candidates *all, uint32_t hash, uint32_t version, uint32_t epoch, int64_t now_ms);

#endif
