/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that a message's event names the right bytes, however late it is read. The reader is slow, and written like the example of
 * libspin(3). Its matching entries, memory that the host posts for messages, take one message each and are then posted again. An entry may
 * only be reused when its event has been read. If the event is lost, the entry must not stay busy forever. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/common/built.h"
#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "user/conformance/template/template.h"
#include <spin/libspin_message.h>

#define MESSAGES 55u
#define LAG      7u    /* messages between two reads of the events */
#define SLOT     4096u /* of host memory, for one message */
#define BYTES    64u
#define RING     20000u /* more messages than the event ring can hold */

static const unsigned char *memory;
static unsigned messages_seen, wrong;

/* Sends a message of one packet, filled with its number. */
static void send_message(struct spin_ctx *ctx, unsigned id)
{
	static uint8_t out[ENGINE_FRAME_MAX];
	static struct template t;
	struct spin_run_result result;
	char line[64];

	template_start(&t);
	snprintf(line, sizeof(line), "slmp SYN EOM id %u off 0", id);
	if (template_line(&t, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 || template_line(&t, "ip4 10.0.0.1 > 10.0.0.2") != 1 ||
	    template_line(&t, "udp 4000 > 9330") != 1 || template_line(&t, line) != 1)
		fail(line);
	snprintf(line, sizeof(line), "fill %u %u", BYTES, id % 255 + 1);
	if (template_line(&t, line) != 1 || template_finish(&t))
		fail(engine_error());
	expect(0, spin_ctx__run(ctx, t.frame, t.bytes, 1, out, sizeof(out), &result), "a message");
}

static void on_event(void *arg, const struct spin_event *event)
{
	struct spin_ctx *ctx = arg;
	const uint32_t start = event->message_id * SLOT;
	struct spin_me me;

	expect(SPIN_EVENT_MESSAGE, event->type, "an event of a message");
	expect(0, spin_ctx__me_get(ctx, event->me, &me), "its entry");
	messages_seen++;
	if (me.start == start && me.state == SPIN_ME_UNREAD && me.serial == event->me_serial && event->me_start == start &&
	    event->me_length == BYTES && memory[start] == event->message_id + 1)
		return;
	wrong++;
	printf("message %u is in bytes %u to %u; its event names entry %u (state %u) of bytes from %u, serial %u, and says "
	       "%u+%u, serial %u\n",
	       event->message_id, start, start + BYTES, event->me, me.state, me.start, me.serial, event->me_start, event->me_length,
	       event->me_serial);
}

static unsigned post(struct spin_ctx *ctx, uint32_t start)
{
	const struct spin_me_opts once = {
		.bytes = sizeof(once), .ignore_bits = UINT64_MAX, .start = start, .length = BYTES, .options = SPIN_ME_USE_ONCE
	};
	unsigned me;

	expect(0, spin_ctx__me_append(ctx, &once, &me), "an entry");
	return me;
}

static struct spin_ctx *create(const struct spin_object *object, int no_entry, int lose_events)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts),
					    .message = { .host_bytes = MESSAGES * SLOT,
							 .no_entry = no_entry,
							 .lose_events = lose_events,
							 .virtual_clock = 1,
							 .tombstone_ms = 1 } };
	struct spin_rule rule;
	struct spin_ctx *ctx;
	size_t bytes;
	void *at;

	expect(0, spin_rule__parse("udp", &rule), "a rule");
	expect(0, spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx), "a context");
	expect(0, spin_ctx__host_memory(ctx, &at, &bytes), "its memory");
	memory = at;
	return ctx;
}

static void each_event_names_its_own_bytes(const struct spin_object *object)
{
	struct spin_ctx *ctx = create(object, 1, 0);

	post(ctx, 0);
	post(ctx, SLOT); /* two entries are open at any time */
	for (unsigned id = 0; id < MESSAGES; id++) {
		send_message(ctx, id);
		if (id + 2 < MESSAGES)
			post(ctx, (id + 2) * SLOT);
		if (id % LAG == LAG - 1 && spin_ctx__events(ctx, on_event, ctx) < 0)
			fail("events");
	}
	if (spin_ctx__events(ctx, on_event, ctx) < 0)
		fail("events");
	expect(MESSAGES, messages_seen, "messages reported");
	expect(0, wrong, "events that name other bytes than their message's");
	expect(0, post(ctx, 0), "the lowest index, free again");
	spin_ctx__destroy(ctx);
}

static void unread_entries_are_counted(const struct spin_object *object)
{
	struct spin_ctx *ctx = create(object, 1, 0);
	const struct spin_me_opts once = { .bytes = sizeof(once), .options = SPIN_ME_USE_ONCE };
	unsigned me;

	for (unsigned id = 0; id < SPIN_MES_MAX; id++) {
		post(ctx, 0);
		send_message(ctx, id);
	}
	expect(-ENOSPC, spin_ctx__me_append(ctx, &once, &me), "one more entry, no event was read");
	expect_error_text("read events");
	expect(-ENOENT, spin_ctx__me_unlink(ctx, 3), "unlinking one that is unlinked");
	if (spin_ctx__events(ctx, NULL, NULL) < 0)
		fail("events");
	expect(0, spin_ctx__me_append(ctx, &once, &me), "one more entry, events were read");
	spin_ctx__destroy(ctx);
}

static void a_lost_event_keeps_no_entry(const struct spin_object *object)
{
	struct spin_ctx *ctx = create(object, 0, 1);
	struct spin_message_stats stats = { 0 };
	struct spin_me entry;
	unsigned me, id = 0;

	for (; id < RING && !stats.events_lost; id++) {
		expect(0, spin_ctx__set_clock(ctx, 2 * id), "time");
		send_message(ctx, id);
		expect(0, spin_ctx__message_stats(ctx, &stats), "counts");
	}
	expect(1, (long long)stats.events_lost, "events that the ring does not take");
	expect(0, spin_ctx__me_unlink(ctx, 0), "unlinking the first entry");
	me = post(ctx, 0);
	send_message(ctx, id);
	expect(0, spin_ctx__me_get(ctx, me, &entry), "the entry");
	expect(1, (long long)entry.messages, "messages in it");
	expect(SPIN_ME_FREE, entry.state, "its state: nobody will read its event");
	spin_ctx__destroy(ctx);
}

int main(void)
{
	struct spin_object *object;

	netns_new();
	object = built_open("msg_copy");
	each_event_names_its_own_bytes(object);
	unread_entries_are_counted(object);
	a_lost_event_keeps_no_entry(object);
	spin_object__close(object);
	printf("%u messages, each named by its event\n", messages_seen);
	return 0;
}
