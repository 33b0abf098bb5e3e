/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_MEMCACHED_FILL_H
#define USER_MEMCACHED_FILL_H

/*
 * Fills the cache of the handlers from memcached, without a value that is older than a mutation that the handlers have counted
 * (user/memcached/README.md, "Why no entry is stale"). It knows the cache as memory, and nothing of contexts.
 */
#include <stdint.h>

#include <memcached.h>

struct fill_options {
	const char *server; /* "127.0.0.1:11211" */
	unsigned threads;   /* of memcached; 0: it is asked */
	unsigned quarantine_ms, max_age_s, asks;
};

/* What fill__step() ends with; fill__reason() says it in words. No errno has these values. */
enum fill_end {
	FILL_UNSEEN = -1001,    /* memcached has executed what no handler has seen */
	FILL_ELSEWHERE = -1002, /* memcached's sockets are not in this network namespace */
	FILL_GONE = -1003,      /* nobody listens any more */
	FILL_FAILED = -1004,
};

struct fill_counts {
	uint64_t quarantines, rounds, filled, refreshed, refused, changed; /* changed: by a mutation in their quarantine */
	uint64_t stalls, connects, audits;
	unsigned candidates;
};

struct fill;

/* Empties the cache, which stays off until memcached has been heard. NULL: no memory, or server is not an address. */
struct fill *fill__open(struct mc_cache *cache, struct mc_entry entries[MC_ENTRIES], const struct fill_options *options);
/* What is to be done now. How many ms until the next call, or enum fill_end. It takes about a second at most, if memcached does not answer. */
int fill__step(struct fill *fill);
const char *fill__reason(const struct fill *fill);
void fill__counts(const struct fill *fill, struct fill_counts *counts);
/* Switches the cache off and frees. */
void fill__close(struct fill *fill);

#endif
