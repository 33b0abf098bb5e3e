/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests what becomes of faulty handlers. One that exceeds its budget of steps (a loop, a deadlock, a walk through the payload), fails a
 * checked access or returns an error must be stopped. The program must get an event that names fault and handler, and the packet be counted
 * by the reason (the counter of what became of it). The packet must be dropped, except by a completion handler, the handler's lock
 * released, and the next packet handled: for datagrams and messages, in each kind of handler, with real packets. Another context of the
 * same interface must lose nothing. Run by tests/run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/counts.h"
#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/net/slow.h"
#include "tests/handlers/messages/faults.h"
#include <spin/slmp.h>
#include <spin/libspin_message.h>

#define WAIT_MS        (20000u * slow_factor())
#define DATAGRAMS_PORT 9000
#define BYSTANDER_PORT 9001
#define MESSAGES_PORT  9330
#define PAYLOAD_BYTES  1200 /* more words than the budget has steps */

/* Same layout as in the handlers (tests/handlers/messages/faults.h). */
struct state {
	uint32_t lock, never, guarded, headers, payloads, completions, completion, walked;
};

/* One fault in one kind of handler. */
struct fault_case {
	enum spin_handler_kind kind;
	enum fault fault;
};

static struct pair pair;
static struct spin_nic *nic;
static int client, receiver, bystander;
static unsigned bystanders;
static struct spin_event event;
static unsigned events;

static enum spin_event_type event_of(enum fault fault)
{
	return fault == FAULT_FAIL ? SPIN_EVENT_FAIL : fault == FAULT_SEGV ? SPIN_EVENT_SEGV : SPIN_EVENT_OVERRUN;
}

static enum spin_reason reason_of(enum fault fault)
{
	return fault == FAULT_FAIL ? SPIN_REASON_FAILED : fault == FAULT_SEGV ? SPIN_REASON_SEGV : SPIN_REASON_OVERRUN;
}

static int open_socket(const char *address, unsigned port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, address, &a.sin_addr);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)))
		fail("a socket");
	return fd;
}

static struct spin_ctx *create(const char *handler, unsigned port)
{
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_ctx *ctx;
	char path[512];

	object = built_open(handler);
	snprintf(path, sizeof(path), "udp dport %u", port);
	expect(0, spin_rule__parse(path, &rule), "a rule");
	expect(0, spin_ctx__create(nic, object, &rule, &ctx), handler);
	expect(0, spin_ctx__attach(ctx), "attaching");
	spin_object__close(object);
	return ctx;
}

static void wait_counted(const struct spin_ctx *ctx, enum spin_reason reason, uint64_t want)
{
	for (unsigned i = 0; i < WAIT_MS && counts_of(ctx, reason) < want; i++)
		usleep(1000);
	expect((long long)want, (long long)counts_of(ctx, reason), spin_reason_name(reason));
}

static void send_to(unsigned port, const void *data, size_t bytes)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };

	inet_pton(AF_INET, FAR_ADDR, &to.sin_addr);
	if (sendto(client, data, bytes, 0, (struct sockaddr *)&to, sizeof(to)) != (ssize_t)bytes)
		fail("sending");
}

/* Returns 1 if a datagram arrives in time. */
static int receives_datagram(int fd, int wait_ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	char data[2048];

	return poll(&poll_fd, 1, wait_ms) > 0 && recv(fd, data, sizeof(data), 0) >= 0;
}

/* A packet of the other context, sent between two of ours, must be handled and delivered. */
static void send_bystander(struct spin_ctx *other)
{
	send_to(BYSTANDER_PORT, "hello", 5);
	if (!receives_datagram(bystander, WAIT_MS))
		fail("another context's datagram is not delivered");
	expect(++bystanders, (long long)counts_of(other, SPIN_REASON_SUCCESS), "another context's datagrams");
}

static void on_event(void *arg, const struct spin_event *e)
{
	const int *messages_too = arg;

	if (e->type == SPIN_EVENT_MESSAGE && !*messages_too)
		return;
	event = *e;
	events++;
}

/* Waits for the next event. Events of completed messages are skipped unless messages_too is set. */
static void wait_for_event(struct spin_ctx *ctx, int messages_too)
{
	unsigned before = events;

	for (unsigned i = 0; i < WAIT_MS && events == before; i++) {
		if (spin_ctx__events(ctx, on_event, &messages_too) < 0)
			fail("events");
		if (events == before)
			usleep(1000);
	}
	expect(before + 1, events, "events of a fault");
}

static struct fault_ask ask_for(struct fault_case f)
{
	struct fault_ask ask = { 0 };

	*(f.kind == SPIN_KIND_HEADER ? &ask.header : f.kind == SPIN_KIND_PAYLOAD ? &ask.payload : &ask.completion) = (uint8_t)f.fault;
	return ask;
}

static void check_event(struct fault_case f, unsigned port)
{
	expect(event_of(f.fault), event.type, "the event");
	expect(f.kind, event.handler, "the handler that it names");
	expect(port, event.dst_port, "the port that it names");
	expect(4, event.ip_version, "the IP version that it names");
}

/* Checks the state after a fault: the lock must be free, and completions must be counted under it. */
static void expect_unharmed(const struct state *s, uint32_t completions)
{
	expect(0, s->lock, "the lock after a fault");
	expect(0, s->never, "what is within the lock that was never given");
	expect(completions, s->completions, "messages that went well");
}

/* The packet's verdict is decided before the completion handler runs, so a fault there is only an event. */
static void one_datagram(struct spin_ctx *ctx, const struct state *s, struct fault_case f)
{
	uint8_t data[PAYLOAD_BYTES] = { 0 };
	const struct fault_ask ask = ask_for(f);
	uint64_t bad = counts_of(ctx, reason_of(f.fault)), good = counts_of(ctx, SPIN_REASON_SUCCESS);
	uint32_t completions = s->completions;

	memcpy(data, &ask, sizeof(ask));
	send_to(DATAGRAMS_PORT, data, sizeof(data));
	if (f.kind != SPIN_KIND_COMPLETION) {
		wait_counted(ctx, reason_of(f.fault), bad + 1);
	} else {
		if (!receives_datagram(receiver, WAIT_MS))
			fail("a datagram whose completion handler fails is not delivered");
		good++;
	}
	wait_for_event(ctx, 0);
	check_event(f, DATAGRAMS_PORT);
	expect(PAYLOAD_BYTES, event.length, "the length that it names");
	memset(data, 0, sizeof(ask));
	send_to(DATAGRAMS_PORT, data, sizeof(data));
	if (!receives_datagram(receiver, WAIT_MS))
		fail("the datagram after a fault is not delivered");
	if (receives_datagram(receiver, 0))
		fail("a datagram whose handler failed is delivered");
	expect((long long)good + 1, (long long)counts_of(ctx, SPIN_REASON_SUCCESS), "datagrams that went well");
	expect_unharmed(s, completions +
				   (f.kind == SPIN_KIND_PAYLOAD ? 2 : 1)); /* after an error of the header handler no other handler runs */
}

static void send_slmp(uint32_t id, uint32_t packet, int last, struct fault_ask ask)
{
	struct {
		struct spin_slmp head;
		uint8_t data[PAYLOAD_BYTES];
	} __attribute__((packed))
	p = { .head = { htons((uint16_t)(SPIN_SLMP_SYN | (last ? SPIN_SLMP_EOM : 0))), htonl(id), htonl(packet * PAYLOAD_BYTES) } };

	memcpy(p.data, &ask, sizeof(ask));
	send_to(MESSAGES_PORT, &p, sizeof(p));
	if (!receives_datagram(client, WAIT_MS))
		fail("a packet of a message is not acknowledged");
}

/* Sends two packets. A fault of the payload handler is in the first, and the second must be handled. */
static void one_message(struct spin_ctx *ctx, const struct state *s, struct fault_case f, uint32_t id)
{
	uint64_t bad = counts_of(ctx, reason_of(f.fault)), good = counts_of(ctx, SPIN_REASON_SUCCESS);
	uint32_t completions = s->completions;

	send_slmp(id, 0, 0, ask_for(f));
	send_slmp(id, 1, 1, (struct fault_ask){ 0 });
	wait_for_event(ctx, 0);
	check_event(f, MESSAGES_PORT);
	expect(id, event.message_id, "the message that it names");
	expect((long long)bad + (f.kind == SPIN_KIND_HEADER    ? 2
				 : f.kind == SPIN_KIND_PAYLOAD ? 1
							       : 0),
	       (long long)counts_of(ctx, reason_of(f.fault)), "packets that the fault cost");
	send_slmp(id + 1, 0, 0, (struct fault_ask){ 0 });
	send_slmp(id + 1, 1, 1, (struct fault_ask){ 0 });
	expect((long long)good + (f.kind == SPIN_KIND_HEADER    ? 2
				  : f.kind == SPIN_KIND_PAYLOAD ? 3
								: 4),
	       (long long)counts_of(ctx, SPIN_REASON_SUCCESS), "packets that went well");
	wait_for_event(ctx, 1);
	expect(SPIN_EVENT_MESSAGE, event.type, "the event of the next message");
	expect(id + 1, event.message_id, "its number");
	expect(0, event.flags & SPIN_EVENT_FAILED, "that it went well");
	expect_unharmed(s, completions + (f.kind == SPIN_KIND_PAYLOAD ? 2 : 1));
}

static const struct state *state_of(struct spin_ctx *ctx)
{
	size_t bytes;
	void *addr;

	expect(0, spin_ctx__symbol(ctx, "spin_state", &addr, &bytes), "the state");
	expect(sizeof(struct state), (long long)bytes, "its size");
	return addr;
}

int main(void)
{
	static const struct fault_case faults[] = {
		{ SPIN_KIND_HEADER, FAULT_WHILE },     { SPIN_KIND_HEADER, FAULT_DEADLOCK },     { SPIN_KIND_HEADER, FAULT_SEGV },
		{ SPIN_KIND_HEADER, FAULT_FAIL },      { SPIN_KIND_PAYLOAD, FAULT_WHILE },       { SPIN_KIND_PAYLOAD, FAULT_DEADLOCK },
		{ SPIN_KIND_PAYLOAD, FAULT_WALK },     { SPIN_KIND_PAYLOAD, FAULT_SEGV },        { SPIN_KIND_PAYLOAD, FAULT_FAIL },
		{ SPIN_KIND_COMPLETION, FAULT_WHILE }, { SPIN_KIND_COMPLETION, FAULT_DEADLOCK }, { SPIN_KIND_COMPLETION, FAULT_SEGV },
		{ SPIN_KIND_COMPLETION, FAULT_FAIL },
	};
	struct spin_ctx *datagrams, *messages, *other;
	const struct state *of_datagrams, *of_messages;

	pair__open(&pair);
	client = open_socket(NEAR_ADDR, 4000);
	netns_enter(pair.far_ns);
	receiver = open_socket(FAR_ADDR, DATAGRAMS_PORT);
	bystander = open_socket(FAR_ADDR, BYSTANDER_PORT);
	expect(0, spin_nic__open(FAR_DEV, &nic), FAR_DEV);
	datagrams = create("faults", DATAGRAMS_PORT);
	messages = create("msg_faults", MESSAGES_PORT);
	other = create("count_datagram", BYSTANDER_PORT);
	of_datagrams = state_of(datagrams);
	of_messages = state_of(messages);
	for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		one_datagram(datagrams, of_datagrams, faults[i]);
		send_bystander(other);
		one_message(messages, of_messages, faults[i], 100 + 2 * i);
		send_bystander(other);
	}
	spin_ctx__destroy(datagrams);
	spin_ctx__destroy(messages);
	send_bystander(other);
	spin_ctx__destroy(other);
	spin_nic__close(nic);
	pair__close(&pair);
	return 0;
}
