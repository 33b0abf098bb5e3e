/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_DEMO_KV_STORE_H
#define TESTS_DEMO_KV_STORE_H

/* A hash table from 32-bit keys to values of KV_WORDS words; keys are never removed. One thread. Used by kv_server.c and kv_replay.c. */
#include <kvstore.h>

struct kv_store;

/* Allocates a store for `keys` keys, at least 1. Returns NULL if out of memory. */
struct kv_store *kv_store__new(uint32_t keys);
void kv_store__free(struct kv_store *store);
/* Returns the key's value, or NULL. */
uint32_t *kv_store__get(const struct kv_store *store, uint32_t key);
/* Same, but adds a new key. Returns NULL if the store is full. */
uint32_t *kv_store__put(struct kv_store *store, uint32_t key);

#endif
