/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests matching entries, memory that the host posts for messages, that manage their offset: such an entry gives each message the next free
 * range. Threads on all CPUs send messages, first packets twice, to such entries, while the host replaces full ones. Every message must
 * have a range of its own within its entry, with its bytes. Also tests what the library refuses for such entries, and for entries that name
 * a source. Run by tests/run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "tests/common/built.h"
#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "tests/reference/frame.h"
#include <spin/libspin_message.h>

#define THREADS  4u
#define MESSAGES 12000u /* of each thread; every second one has another thread's number */
#define REGION   1024u
#define REGIONS  64u /* of host memory: each posting uses the next one */
#define LONGEST  100u
#define MIN_FREE 128u

static const uint8_t *memory;
static struct spin_ctx *ctx;
static atomic_uint next_thread, running;
static _Atomic(const char *) reason;
static uint8_t taken[REGIONS][REGION]; /* bytes assigned to messages, of the region's current posting */
static unsigned region, messages_seen, unlinked;

static uint32_t bytes_of(uint32_t id)
{
	return 1 + id * 2654435761u % LONGEST;
}

/* Returns 1 if it was handled, or belongs to another thread. */
static int send_message(uint32_t id)
{
	static const struct frame_flow flow = { 4, { 10, 0, 0, 1 }, { 10, 0, 0, 2 }, 4000, SPIN_SLMP_PORT };
	const struct spin_slmp slmp = { htons(SPIN_SLMP_SYN | SPIN_SLMP_EOM), htonl(id), 0 };
	uint8_t frame[512] = { 0 }, out[512], *payload = frame_payload(frame, 4);
	struct spin_run_result result;

	memcpy(payload, &slmp, sizeof(slmp));
	memset(payload + sizeof(slmp), (int)(id % 255 + 1), bytes_of(id));
	if (spin_ctx__run(ctx, frame, frame_finish(frame, &flow, sizeof(slmp) + bytes_of(id), FRAME_SUM_NONE), 1, out, sizeof(out),
			  &result))
		reason = "a packet cannot be run";
	return reason || result.verdict == SPIN_VERDICT_TX;
}

static void *sender(void *arg)
{
	const unsigned me = next_thread++;

	(void)arg;
	for (uint32_t i = 0; i < MESSAGES && !reason; i++)
		for (unsigned tries = 0; !send_message(i % 2 ? me * MESSAGES + i : i) && !reason; tries++)
			if (tries == 10000000)
				reason = "a message finds no entry";
	running--;
	return NULL;
}

static void post(void)
{
	const struct spin_me_opts opts = { .bytes = sizeof(opts),
					   .ignore_bits = UINT64_MAX,
					   .start = region * REGION,
					   .length = REGION,
					   .options = SPIN_ME_MANAGE_LOCAL | SPIN_ME_NO_TRUNCATE,
					   .min_free = MIN_FREE };
	unsigned me;

	memset(taken[region], 0, REGION);
	region = (region + 1) % REGIONS;
	expect(0, spin_ctx__me_append(ctx, &opts, &me), "an entry");
}

static void on_event(void *arg, const struct spin_event *event)
{
	const uint32_t at = event->me_start + event->offset;

	(void)arg;
	if (event->type != SPIN_EVENT_MESSAGE || event->length != bytes_of(event->message_id) || event->deposited_bytes != event->length ||
	    event->offset + event->length > REGION)
		reason = "an event is not of a whole message inside its entry";
	for (uint32_t i = 0; i < event->length && !reason; i++) {
		if (taken[event->me_start / REGION][event->offset + i]++)
			reason = "two messages have one place";
		if (memory[at + i] != event->message_id % 255 + 1)
			reason = "a message's place has other bytes";
	}
	messages_seen++;
	if (!(event->flags & SPIN_EVENT_UNLINKED))
		return;
	if (REGION - event->offset - event->length >= MIN_FREE)
		reason = "an entry is unlinked that has min_free left";
	unlinked++;
	post();
}

static void expect_refused(struct spin_me_opts opts, const char *text)
{
	unsigned me;

	opts.bytes = sizeof(opts);
	opts.ignore_bits = UINT64_MAX;
	expect(-EINVAL, spin_ctx__me_append(ctx, &opts, &me), text);
	expect_error_text(text);
}

static void what_cannot_be_is_refused(void)
{
	expect_refused((struct spin_me_opts){ .min_free = 1 }, "min_free is of entries with SPIN_ME_MANAGE_LOCAL");
	expect_refused((struct spin_me_opts){ .options = SPIN_ME_MANAGE_LOCAL, .length = 64, .min_free = 65 }, "never has 65 free");
	expect_refused((struct spin_me_opts){ .options = ~0u }, "has no options");
	expect_refused((struct spin_me_opts){ .source = { .ip_version = 5 } }, "source has IP version 5");
	expect_refused((struct spin_me_opts){ .source = { .port = 1 } }, "source has IP version 0");
	expect_refused((struct spin_me_opts){ .source = { .addr = { 1 } } }, "source has IP version 0");
	expect_refused((struct spin_me_opts){ .source = { .addr = { 1, 1 }, .ip_version = 4 } }, "source has IP version 4");
}

int main(void)
{
	const struct spin_ctx_opts opts = {
		.bytes = sizeof(opts), .message = { .host_bytes = REGIONS * REGION, .no_entry = 1, .idle_ms = 60000, .tombstone_ms = 60000 }
	};
	pthread_t thread[THREADS];
	struct spin_object *object;
	struct spin_rule rule;
	size_t bytes;
	void *at;

	netns_new();
	object = built_open("msg_default");
	expect(0, spin_rule__parse("udp", &rule), "a rule");
	expect(0, spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx), "a context");
	expect(0, spin_ctx__host_memory(ctx, &at, &bytes), "its memory");
	memory = at;
	what_cannot_be_is_refused();
	for (unsigned i = 0; i < 8; i++)
		post();
	running = THREADS;
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, sender, NULL))
			fail("a thread");
	while (running && !reason)
		if (spin_ctx__events(ctx, on_event, NULL) < 0)
			reason = "events cannot be read";
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	if (!reason && spin_ctx__events(ctx, on_event, NULL) < 0)
		reason = "events cannot be read";
	if (reason) {
		printf("FAIL  %s\n", reason);
		return 1;
	}
	expect(MESSAGES / 2 * (THREADS + 1), messages_seen, "messages");
	spin_ctx__destroy(ctx);
	spin_object__close(object);
	printf("%u messages in %u entries, each in a place of its own\n", messages_seen, unlinked);
	return 0;
}
