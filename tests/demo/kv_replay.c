/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Replays captured key-value requests on the model of the NIC or in the kernel, with the demo's server behind the handlers (kv_replay.h),
 * and checks every answer. Called by demo_kvstore.c.
 */
#include <string.h>

#include <spin/wire.h>

#include "tests/common/proc.h"
#include "tests/demo/kv_replay.h"
#include "tests/demo/kv_server.h"

#define MESSAGE_AT (sizeof(struct spin_eth) + sizeof(struct spin_ip4) + sizeof(struct spin_udp))

/* Requests queued for the server. */
struct queue {
	struct kv_message message[KV_REPLAY_DELAY_MAX];
	unsigned first, count;
};

static void push(struct queue *queue, const uint8_t *frame)
{
	unsigned at = (queue->first + queue->count++) % KV_REPLAY_DELAY_MAX;

	memcpy(&queue->message[at], frame + MESSAGE_AT, sizeof(queue->message[at]));
}

static struct kv_message *pop(struct queue *queue)
{
	struct kv_message *m = &queue->message[queue->first];

	queue->first = (queue->first + 1) % KV_REPLAY_DELAY_MAX;
	queue->count--;
	return m;
}

static void read_message(const struct frame *frame, struct kv_message *m)
{
	memset(m, 0, sizeof(*m));
	if (frame->bytes >= MESSAGE_AT + sizeof(*m))
		memcpy(m, frame->data + MESSAGE_AT, sizeof(*m));
}

enum kv_class kv_classify(const struct kv_cache *cache, const struct frame *frame)
{
	struct kv_message m;
	uint32_t key;

	read_message(frame, &m);
	key = spin_ntoh32(m.key);
	if (m.op == spin_hton16(KV_SET))
		return KV_WRITE;
	for (int way = 0; way < KV_WAYS; way++) {
		const struct kv_line *line = &cache->set[key % KV_SETS].line[way];

		if (line->key == key && (line->tag & KV_STATE_MASK) == KV_VALID)
			return KV_HIT;
	}
	return KV_MISS;
}

static enum kv_class class_of(const struct frame *frame, enum spin_verdict verdict)
{
	struct kv_message m;

	read_message(frame, &m);
	if (verdict == SPIN_VERDICT_TX)
		return KV_HIT;
	return m.op == spin_hton16(KV_SET) ? KV_WRITE : KV_MISS;
}

/* Serves one request. The set of its key is copied from the model's memory and back. */
static void serve_model(struct kv_replay *replay, struct hpu *hpu, struct kv_message *m)
{
	static struct kv_cache cache;
	struct kv_set *set = &cache.set[spin_ntoh32(m->key) % KV_SETS];
	uint32_t addr = hpu_symbol(hpu, "spin_state", sizeof(cache)) + (uint32_t)((char *)set - (char *)&cache);

	if (pspin__read(hpu->nic, addr, set, sizeof(*set)) || !kv_server__serve(replay->store, &cache, m) ||
	    pspin__write(hpu->nic, addr, set, sizeof(*set)))
		die("HPU model: a request cannot be served");
}

void kv_replay_model(struct kv_replay *replay, struct hpu *hpu, const struct capture *capture)
{
	struct queue queue = { 0 };

	for (size_t i = 0; i < capture->frames; i++) {
		const struct frame *frame = &capture->frame[i];
		const struct pspin_result *result = hpu_packet(hpu, frame);

		if (i >= replay->skip) {
			hpu_count(&replay->class[class_of(frame, result->verdict)], result);
			hpu_count(&replay->all, result);
		}
		if (result->verdict == SPIN_VERDICT_PASS)
			push(&queue, result->frame);
		while (queue.count > (i < replay->skip ? 0 : replay->delay))
			serve_model(replay, hpu, pop(&queue));
	}
}

void kv_replay_live(struct kv_replay *replay, struct spin_ctx *ctx, const struct capture *capture)
{
	struct queue queue = { 0 };
	struct kv_cache *cache;
	size_t bytes;
	void *state;

	if (spin_ctx__symbol(ctx, "spin_state", &state, &bytes))
		die("%s", spin_strerror_last());
	cache = state;
	for (size_t i = 0; i < capture->frames; i++) {
		const struct frame *frame = &capture->frame[i];
		uint8_t out[CAPTURE_FRAME_BYTES];
		struct spin_run_result result;

		if (spin_ctx__run(ctx, frame->data, frame->bytes, 1, out, sizeof(out), &result))
			die("%s", spin_strerror_last());
		if (i >= replay->skip) {
			replay->class[class_of(frame, result.verdict)].packets++;
			replay->all.packets++;
		}
		if (result.verdict == SPIN_VERDICT_PASS)
			push(&queue, out);
		while (queue.count > (i < replay->skip ? 0 : replay->delay))
			(void)kv_server__serve(replay->store, cache, pop(&queue));
	}
	while (queue.count)
		(void)kv_server__serve(replay->store, cache, pop(&queue));
}
