/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_KV_COMMIT_H
#define TESTS_COMMON_KV_COMMIT_H

/*
 * The server's half of the protocol in <kvstore.h>. Called by one thread, in
 * the order in which the server's store changes: the values given must be the
 * ones that the store holds at the call.
 */
#include <kvstore.h>

/*
 * After a GET that found the key: makes the leased line VALID with the store's
 * value. Does nothing if the line has been taken for something else since.
 */
void kv_cache_fill(struct kv_cache *cache, uint32_t key, const uint32_t value[KV_WORDS], uint32_t lease);

/*
 * After a SET has changed the store and before it is acknowledged: gives the new
 * value to a line of the key that is VALID and takes VALID from any other; if
 * there is none, fills the leased line as kv_cache_fill() does.
 */
void kv_cache_commit(struct kv_cache *cache, uint32_t key, const uint32_t value[KV_WORDS], uint32_t lease);

#endif
