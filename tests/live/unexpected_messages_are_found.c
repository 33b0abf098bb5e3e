/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests unexpected messages, as in MPI: a message that arrives before a receive is posted for it stays in an overflow entry (memory that
 * the host posts for such messages). First one at a time; then threads on all CPUs send numbered messages of three tags while the host
 * posts receives. Each receive must get the next message of its tag, whether that arrived before or after it was posted. More messages than
 * are kept (32) are not acknowledged. Run by tests/run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "tests/common/built.h"
#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "tests/reference/frame.h"
#include <spin/libspin_message.h>

#define TAGS     3u
#define MESSAGES 3000u /* per tag; each tag has its own thread */
#define HOST     (1u << 20)
#define RECEIVE  64u    /* bytes of a receive */
#define BUFFERS  65536u /* start of the overflow entry */
#define KEPT     32u

static const uint8_t *memory;
static struct spin_ctx *ctx;
static _Atomic(const char *) reason;
static atomic_uint next_tag, sent[TAGS];
static unsigned received[TAGS], unexpected, posted[TAGS];
static struct {
	unsigned tag;
	int has;
} entry_tag[SPIN_MES_MAX];

/* Sends message `number` of a tag: 4 bytes, its number. Returns 1 if it was acknowledged. */
static int send_message(uint32_t tag, uint32_t number, uint16_t port, uint32_t flags)
{
	const struct frame_flow flow = { 4, { 10, 0, 0, 1 }, { 10, 0, 0, 2 }, port, SPIN_SLMP_PORT };
	const struct spin_slmp slmp = { htons((uint16_t)(SPIN_SLMP_SYN | SPIN_SLMP_PUT | flags)), htonl(tag << 24 | number), 0 };
	const struct spin_slmp_put put = {
		.op = SPIN_SLMP_OP_PUT, .version = SPIN_SLMP_VERSION, .length = htonl(flags ? 4 : 8), .match_bits = __builtin_bswap64(tag)
	};
	uint8_t frame[512] = { 0 }, out[512], *payload = frame_payload(frame, 4);
	struct spin_run_result result;

	memcpy(payload, &slmp, sizeof(slmp));
	memcpy(payload + sizeof(slmp), &put, sizeof(put));
	memcpy(payload + sizeof(slmp) + sizeof(put), &number, 4);
	if (spin_ctx__run(ctx, frame, frame_finish(frame, &flow, sizeof(slmp) + sizeof(put) + 4, FRAME_SUM_NONE), 1, out, sizeof(out),
			  &result))
		reason = "a packet cannot be run";
	return reason || result.verdict == SPIN_VERDICT_TX;
}

static void *sender(void *arg)
{
	const unsigned tag = next_tag++;

	(void)arg;
	for (uint32_t n = 0; n < MESSAGES && !reason; n++) {
		while (!send_message(tag, n, 4000, SPIN_SLMP_EOM) && !reason)
			sched_yield();
		sent[tag]++;
	}
	return NULL;
}

/* The next receive of the tag must have this message. */
static void receive(unsigned tag, uint32_t start)
{
	uint32_t number;

	memcpy(&number, memory + start, 4);
	if (number != received[tag]++)
		reason = "a message was overtaken by a later one";
}

static void on_overflow(void *arg, const struct spin_event *event)
{
	const unsigned tag = *(const unsigned *)arg;

	if (event->type != SPIN_EVENT_PUT_OVERFLOW || event->match_bits != tag || event->length != 4 || event->deposited_bytes != 4 ||
	    !(event->flags & SPIN_EVENT_OVERFLOW))
		reason = "an event of an unexpected message is of another one";
	receive(tag, event->me_start + event->offset);
	unexpected++;
}

static struct spin_me_opts receive_opts(unsigned *tag, unsigned at)
{
	return (struct spin_me_opts){ .bytes = sizeof(struct spin_me_opts),
				      .match_bits = *tag,
				      .start = at * RECEIVE,
				      .length = RECEIVE,
				      .options = SPIN_ME_USE_ONCE,
				      .on_overflow = on_overflow,
				      .overflow_arg = tag };
}

static void post_overflow(uint32_t min_free)
{
	const struct spin_me_opts opts = { .bytes = sizeof(opts),
					   .ignore_bits = UINT64_MAX,
					   .start = BUFFERS,
					   .min_free = min_free,
					   .options = SPIN_ME_MANAGE_LOCAL | SPIN_ME_NO_TRUNCATE | SPIN_ME_OVERFLOW };
	unsigned me;

	expect(0, spin_ctx__me_append(ctx, &opts, &me), "an overflow entry");
	entry_tag[me].has = 0;
}

static void on_event(void *arg, const struct spin_event *event)
{
	(void)arg;
	if (event->type != SPIN_EVENT_MESSAGE || event->flags & SPIN_EVENT_OVERFLOW || !entry_tag[event->me].has)
		return;
	entry_tag[event->me].has = 0;
	receive(entry_tag[event->me].tag, event->me_start);
}

/* One receive of each tag is posted at a time. */
static void post_receives(void)
{
	static unsigned tags[TAGS] = { 0, 1, 2 };

	for (unsigned tag = 0; tag < TAGS && !reason; tag++) {
		struct spin_me_opts opts = receive_opts(&tags[tag], tag);
		unsigned me;
		int err;

		if (received[tag] != posted[tag] || posted[tag] == MESSAGES)
			continue;
		err = spin_ctx__me_append(ctx, &opts, &me);
		if (err == -EAGAIN)
			continue;
		expect(0, err, "a receive");
		posted[tag]++;
		if (me == SPIN_MES_MAX)
			continue;
		entry_tag[me].tag = tag;
		entry_tag[me].has = 1;
	}
}

static struct spin_ctx *create(const struct spin_object *object, unsigned kept)
{
	const struct spin_ctx_opts opts = {
		.bytes = sizeof(opts),
		.message = { .host_bytes = HOST, .no_entry = 1, .put = 1, .unexpected = kept, .idle_ms = 60000, .tombstone_ms = 60000 }
	};
	struct spin_rule rule;
	struct spin_ctx *out;
	size_t bytes;
	void *at;

	expect(0, spin_rule__parse("udp", &rule), "a rule");
	expect(0, spin_ctx__create_opts(NULL, object, &rule, &opts, &out), "a context");
	expect(0, spin_ctx__host_memory(out, &at, &bytes), "its memory");
	memory = at;
	return out;
}

static void one_at_a_time(const struct spin_object *object)
{
	static unsigned tag = 1;
	struct spin_me_opts opts = receive_opts(&tag, 0);
	struct spin_event event;
	unsigned me;

	ctx = create(object, KEPT);
	post_overflow(0);
	expect(-ENOENT, spin_ctx__me_search(ctx, &opts, SPIN_SEARCH_ONLY, &event), "searching nothing");
	for (uint32_t n = 0; n < 4; n++)
		expect(1, send_message(1, n, 4000, SPIN_SLMP_EOM), "a message");
	expect(1, send_message(2, 0, 4000, SPIN_SLMP_EOM), "a message of another tag");
	expect(0, spin_ctx__me_search(ctx, &opts, SPIN_SEARCH_ONLY, &event), "searching");
	expect(0, memory[event.me_start + event.offset], "the first one is found");
	expect(0, spin_ctx__me_append(ctx, &opts, &me), "a receive");
	expect(SPIN_MES_MAX, me, "its entry: none, it has found a message");
	expect(1, received[1], "messages received");
	opts.source = (struct spin_process){ .ip_version = 4, .addr = { inet_addr("10.0.0.9") } };
	expect(-ENOENT, spin_ctx__me_search(ctx, &opts, SPIN_SEARCH_DELETE, &event), "searching those of another source");
	opts.source.addr[0] = inet_addr("10.0.0.1");
	opts.source.port = htons(4001);
	expect(-ENOENT, spin_ctx__me_search(ctx, &opts, SPIN_SEARCH_DELETE, &event), "searching those of another port");
	opts.source.port = htons(4000);
	expect(0, spin_ctx__me_search(ctx, &opts, SPIN_SEARCH_DELETE, &event), "searching, and deleting");
	expect(1, memory[event.me_start + event.offset], "the next one is found");
	expect(SPIN_EVENT_PUT_OVERFLOW, event.type, "the event's type");
	received[1]++; /* the message that the search found */
	opts.options = 0;
	expect(0, spin_ctx__me_append(ctx, &opts, &me), "an entry for many");
	expect(4, received[1], "messages that it has found");
	expect(1, me < SPIN_MES_MAX, "is posted");
	expect(0, spin_ctx__me_unlink(ctx, me), "and unlinked");
	expect(-ENOENT, spin_ctx__me_search(ctx, &opts, SPIN_SEARCH_ONLY, &event), "nothing is left of the tag");
	/* a message that is incomplete */
	expect(1, send_message(1, 4, 4000, 0), "the first half of a message");
	expect(-EAGAIN, spin_ctx__me_search(ctx, &opts, SPIN_SEARCH_DELETE, &event), "searching one on its way");
	expect(-EAGAIN, spin_ctx__me_append(ctx, &opts, &me), "an entry for one on its way");
	expect_error_text("on its way");
	opts.match_bits = 2;
	tag = 2;
	expect(0, spin_ctx__me_append(ctx, &opts, &me), "an entry for others");
	expect(1, received[2], "messages that it has found");
	/* the largest number of messages that are kept */
	for (uint32_t n = 0; n < KEPT - 1; n++)
		expect(1, send_message(3, n, 4000, SPIN_SLMP_EOM), "a message that is kept");
	expect(0, send_message(3, KEPT, 4000, SPIN_SLMP_EOM), "one more than are kept");
	opts.match_bits = 3;
	expect(0, spin_ctx__me_search(ctx, &opts, SPIN_SEARCH_DELETE, &event), "searching, and deleting");
	expect(1, send_message(3, KEPT, 4000, SPIN_SLMP_EOM), "it finds room then");
	spin_ctx__destroy(ctx);
	memset(received, 0, sizeof(received));
	unexpected = 0;
}

static void what_cannot_be_is_refused(const struct spin_object *object)
{
	struct spin_ctx_opts many = { .bytes = sizeof(many), .message = { .unexpected = SPIN_UNEXPECTED_MAX + 1 } };
	static unsigned tag;
	struct spin_me_opts opts = receive_opts(&tag, 0);
	struct spin_event event;
	struct spin_rule rule;
	unsigned me;

	ctx = create(object, 0);
	expect(-EOPNOTSUPP, spin_ctx__me_search(ctx, &opts, SPIN_SEARCH_ONLY, &event), "searching a context that keeps none");
	expect(-EINVAL, spin_ctx__me_append(ctx, &opts, &me), "a receive of a context that keeps none");
	expect_error_text("keeps no unexpected messages");
	opts.options = SPIN_ME_OVERFLOW;
	expect(-EINVAL, spin_ctx__me_append(ctx, &opts, &me), "an overflow entry that looks for messages");
	expect_error_text("finds no unexpected messages");
	spin_ctx__destroy(ctx);
	expect(0, spin_rule__parse("udp", &rule), "a rule");
	expect(-EINVAL, spin_ctx__create_opts(NULL, object, &rule, &many, &ctx), "more than can be kept");
	expect_error_text("message.unexpected is 257");
}

static void many_at_once(const struct spin_object *object)
{
	pthread_t thread[TAGS];
	unsigned done = 0;

	ctx = create(object, KEPT);
	post_overflow(0);
	for (unsigned i = 0; i < TAGS; i++)
		if (pthread_create(&thread[i], NULL, sender, NULL))
			fail("a thread");
	while (done < TAGS * MESSAGES && !reason) {
		post_receives();
		if (spin_ctx__events(ctx, on_event, NULL) < 0)
			reason = "events cannot be read";
		done = received[0] + received[1] + received[2];
	}
	for (unsigned i = 0; i < TAGS; i++)
		pthread_join(thread[i], NULL);
	spin_ctx__destroy(ctx);
}

int main(void)
{
	struct spin_object *object;

	netns_new();
	object = built_open("msg_default");
	what_cannot_be_is_refused(object);
	one_at_a_time(object);
	many_at_once(object);
	spin_object__close(object);
	if (reason || !unexpected || unexpected == TAGS * MESSAGES) {
		printf("FAIL  %s\n", reason ? reason : "all or no messages were unexpected");
		return 1;
	}
	printf("%u messages received in their order, %u of them unexpected\n", TAGS * MESSAGES, unexpected);
	return 0;
}
