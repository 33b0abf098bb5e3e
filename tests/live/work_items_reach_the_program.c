/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests work items (<spin/work.h>), records that a handler leaves for the program. Handlers of two datagrams leave six, but the program may
 * leave four unread: four must arrive, with the packet's source, the other two be counted as lost, and their handlers get SPIN_WORK_FULL.
 * There must be room again after the program has read. Tests both load classes, and a context without work items. Run by tests/run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/built.h"
#include "tests/common/expect.h"
#include "user/conformance/template/template.h"
#include <spin/libspin_message.h>

#define UNREAD 4u /* see act_work.h */

/* Same layout as in the handler (tests/handlers/messages/act_work.h). */
struct ask {
	uint8_t when, size, count, to_host;
	uint32_t words[8];
};
struct state {
	uint32_t words[8], full, complete;
};

static struct spin_nic *nic;
static struct spin_event seen[16];
static unsigned events;

static struct spin_ctx *create(const char *handler, enum spin_class class)
{
	struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = class };
	struct spin_object *object = built_open(handler);
	struct spin_rule rule;
	struct spin_ctx *ctx;

	expect(0, spin_rule__parse("udp dport 9000", &rule), "a rule");
	expect(0, spin_ctx__create_opts(nic, object, &rule, &opts, &ctx), handler);
	expect(0, spin_ctx__attach(ctx), "attaching");
	spin_object__close(object);
	return ctx;
}

static void run(const struct ask *ask)
{
	static uint8_t out[ENGINE_FRAME_MAX];
	static struct template t;
	struct spin_run_result result;
	char line[160];

	snprintf(line, sizeof(line), "le32 %u %u %u %u %u %u %u %u %u",
		 ask->when | ask->size << 8 | ask->count << 16 | (uint32_t)ask->to_host << 24, ask->words[0], ask->words[1], ask->words[2],
		 ask->words[3], ask->words[4], ask->words[5], ask->words[6], ask->words[7]);
	template_start(&t);
	if (template_line(&t, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 || template_line(&t, "ip4 10.0.0.7 > 10.0.0.2") != 1 ||
	    template_line(&t, "udp 4000 > 9000") != 1 || template_line(&t, line) != 1 || template_finish(&t))
		fail(engine_error());
	expect(0, spin_nic__run(nic, t.frame, t.bytes, 1, out, sizeof(out), &result), "a packet");
	expect(SPIN_VERDICT_PASS, result.verdict, "its verdict");
}

static void on_event(void *arg, const struct spin_event *event)
{
	(void)arg;
	if (events < sizeof(seen) / sizeof(seen[0]))
		seen[events] = *event;
	events++;
}

static unsigned read_events(struct spin_ctx *ctx)
{
	events = 0;
	expect(0, spin_ctx__events(ctx, on_event, NULL) < 0, "reading events");
	return events;
}

static int readable(struct spin_ctx *ctx)
{
	struct pollfd fd = { .fd = spin_ctx__event_fd(ctx), .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

static void check_event(const struct spin_event *e, const struct ask *ask, uint32_t number)
{
	uint32_t want[8] = { ask->words[0] + number };

	memcpy(want + 1, ask->words + 1, ask->size - 4u);
	expect(SPIN_EVENT_WORK, e->type, "the event's type");
	expect(SPIN_KIND_PAYLOAD, e->handler, "its handler");
	expect(4, e->ip_version, "its IP version");
	expect(htonl(0x0a000007), e->src_addr[0], "its source");
	expect(0, e->src_addr[1] | e->src_addr[2] | e->src_addr[3], "no more of it");
	expect(4000, e->src_port, "its source port");
	expect(9000, e->dst_port, "its destination port");
	expect(sizeof(*ask), e->length, "the payload's length");
	expect(0, e->message_id | e->me | e->offset | e->dropped_bytes | e->deposited_bytes, "what a datagram has not");
	expect(ask->size, e->item_bytes, "the item's length");
	expect(0, memcmp(want, e->item, sizeof(want)), "the item, and zeros");
}

static void test_class(enum spin_class class)
{
	const struct ask ask = { 2, 8, 3, 0, { 100, 200, 300, 400, 500, 600, 700, 800 } };
	struct spin_ctx *ctx = create("act_work_d", class);
	const struct state *state;
	uint64_t lost = 1;
	size_t bytes;
	void *at;

	expect(0, spin_ctx__symbol(ctx, "spin_state", &at, &bytes), "the state");
	state = at;
	for (unsigned round = 1; round <= 300; round++) { /* more items than the ring holds */
		run(&ask);
		run(&ask);
		expect(2 * round, state->full, "calls that find no room");
		expect(0, spin_ctx__work_lost(ctx, &lost), "work_lost");
		expect((long long)(2 * round), (long long)lost, "items lost");
		expect(1, readable(ctx), "readable");
		expect(UNREAD, read_events(ctx), "items read");
		for (unsigned i = 0; i < UNREAD; i++)
			check_event(&seen[i], &ask, i % 3);
		expect(0, readable(ctx), "readable when all is read");
	}
	spin_ctx__destroy(ctx);
}

int main(void)
{
	struct spin_ctx *none;
	uint64_t lost = 1;

	if (spin_nic__open_offline(&nic))
		fail("an interface");
	test_class(SPIN_CLASS_TRUSTED);
	test_class(SPIN_CLASS_ISOLATED);
	none = create("act_pending_d", SPIN_CLASS_TRUSTED);
	expect(0, spin_ctx__work_lost(none, &lost), "work_lost without work");
	expect(0, (long long)lost, "nothing is lost");
	spin_ctx__destroy(none);
	spin_nic__close(nic);
	return 0;
}
