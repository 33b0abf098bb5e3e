/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_KV_COMMIT_H
#define TESTS_COMMON_KV_COMMIT_H

/*
 * The server's half of the cache that kvstore's handlers answer GETs from (<kvstore.h>), for the demo's server and
 * tests/unit/cache_is_never_stale.c. A line is read only in state VALID; a lease names the line that the server may fill. One thread must
 * call these functions, in the order in which the store changes. The values must be those that the store holds at the call.
 */
#include <kvstore.h>

/*
 * Must be called after a GET that found the key. Makes the leased line VALID with the store's value. Does nothing if the line has since
 * been reused.
 */
void kv_cache_fill(struct kv_cache *cache, uint32_t key, const uint32_t value[KV_WORDS], uint32_t lease);

/*
 * Must be called after a SET has changed the store and before it is acknowledged. Writes the new value to a VALID line of the key, and
 * clears VALID on the others. If there is none, fills the leased line as kv_cache_fill() does.
 */
void kv_cache_commit(struct kv_cache *cache, uint32_t key, const uint32_t value[KV_WORDS], uint32_t lease);

#endif
