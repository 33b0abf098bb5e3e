/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_MEMCACHED_FILL_H
#define USER_MEMCACHED_FILL_H

/*
 * Fills the cache from which handlers answer memcached's GETs. Called by main.c. No value is older than a mutation that the handlers have
 * counted (user/memcached/README.md, "Why no entry is stale"). Works on the cache as plain memory and knows nothing of contexts.
 */
#include <stdint.h>

#include <memcached.h>

/* How the cache is filled. */
struct fill_options {
	const char *server; /* "127.0.0.1:11211" */
	unsigned threads;   /* worker threads of memcached; 0: ask memcached */
	unsigned quarantine_ms, max_age_s, asks;
};

/* Errors that fill__step() returns; fill__reason() explains them. No errno has these values. */
enum fill_end {
	FILL_UNSEEN = -1001,    /* memcached has executed changes that no handler has seen */
	FILL_ELSEWHERE = -1002, /* memcached's sockets are not in this network namespace */
	FILL_GONE = -1003,      /* memcached no longer listens */
	FILL_FAILED = -1004,
};

/* What has been done so far, for reports. */
struct fill_counts {
	uint64_t quarantines, rounds, filled, refreshed, refused, changed; /* changed: by a mutation during the quarantine */
	uint64_t stalls, connects, audits;
	unsigned candidates;
};

struct fill;

/* Empties the cache, which stays off until memcached has answered. Returns NULL if memory is short or `server` is not an address. */
struct fill *fill__open(struct mc_cache *cache, struct mc_entry entries[MC_ENTRIES], const struct fill_options *options);
/*
 * Does the work that is due. Returns the ms until the next call, or an enum fill_end. Takes about a second at most if memcached does not
 * answer.
 */
int fill__step(struct fill *fill);
const char *fill__reason(const struct fill *fill);
void fill__counts(const struct fill *fill, struct fill_counts *counts);
/* Switches the cache off and frees `fill`. */
void fill__close(struct fill *fill);

#endif
