/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_DEMO_KV_REPLAY_H
#define TESTS_DEMO_KV_REPLAY_H

/*
 * Replays a captured sequence of requests through kvstore, on the HPU model or by PROG_TEST_RUN, with the server after it. Requests that
 * the handler passes are served `delay` requests later by the same server code, as if they had waited in queues. Called by demo_kvstore.c.
 * Every answer is checked.
 */
#include <kvstore.h>

#include "tests/demo/hpu.h"
#include "tests/demo/kv_store.h"

enum kv_class { KV_HIT, KV_MISS, KV_WRITE, KV_CLASSES };

struct kv_replay {
	struct kv_store *store;
	unsigned delay; /* number of requests */
	size_t skip;    /* leading frames that are run but not counted */
	/* results */
	struct hpu_class class[KV_CLASSES], all; /* cycles only from the model */
};

#define KV_REPLAY_DELAY_MAX 256

void kv_replay_model(struct kv_replay *replay, struct hpu *hpu, const struct capture *capture);
void kv_replay_live(struct kv_replay *replay, struct spin_ctx *ctx, const struct capture *capture);

/* Returns the class that a request would have in the cache's current state. */
enum kv_class kv_classify(const struct kv_cache *cache, const struct frame *frame);

#endif
