/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_DEMO_KV_REPLAY_H
#define TESTS_DEMO_KV_REPLAY_H

/*
 * A captured sequence of requests through kvstore, on the HPU model or by
 * PROG_TEST_RUN, with the server behind it: what passes is served `delay`
 * requests later, as live it waits in queues, through the same server code.
 */
#include <kvstore.h>

#include "tests/demo/hpu.h"
#include "tests/demo/kv_store.h"

enum kv_class { KV_HIT, KV_MISS, KV_WRITE, KV_CLASSES };

struct kv_replay {
	struct kv_store *store;
	unsigned delay; /* requests */
	size_t skip;    /* frames at the beginning that are run but not counted */
	/* results */
	struct hpu_class class[KV_CLASSES], all; /* cycles only from the model */
};

#define KV_REPLAY_DELAY_MAX 256

void kv_replay_model(struct kv_replay *replay, struct hpu *hpu, const struct capture *capture);
void kv_replay_live(struct kv_replay *replay, struct spin_ctx *ctx, const struct capture *capture);

/* The class of a request, if it came now. */
enum kv_class kv_classify(const struct kv_cache *cache, const struct frame *frame);

#endif
