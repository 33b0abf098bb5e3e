/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that a context receives from a sender that was written from the protocol's description, without any sPIN code: with and without a
 * window, with packets of any length, over IPv4 and IPv6. Run by tests/run.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/attached.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/random.h"
#include "tests/common/net/slmp_plain.h"
#include "tests/common/net/slow.h"

#define BYTES (1u << 20)
/* Without a window all packets are sent at once: at most as many as the veth's queue holds while it is not read. */
#define PACKETS_MAX 200u

static uint8_t data[BYTES];
static struct spin_ctx *ctx;
static struct spin_event last_message;
static unsigned messages;

static void die(const char *what)
{
	printf("FAIL: %s (last reason: %s)\n", what, spin_strerror_last());
	exit(1);
}

static void on_event(void *arg, const struct spin_event *event)
{
	(void)arg;
	if (event->type != SPIN_EVENT_MESSAGE)
		die("an event of another kind");
	last_message = *event;
	messages++;
}

static void receiver(const struct pair *pair)
{
	const struct spin_message_opts message = { 0 };

	netns_enter(pair->far_ns);
	if (attached__open(&ctx, "msg_copy", FAR_DEV, "udp dport 9330", &message, SPIN_MODE_AUTO))
		die("the receiver");
	netns_enter(pair->near_ns);
}

static void send_one(struct slmp_plain *s, uint32_t bytes)
{
	static uint32_t id = 0xfffffff0u; /* wraps around */
	struct pollfd fd = { .fd = spin_ctx__event_fd(ctx), .events = POLLIN };
	unsigned before = messages;
	size_t memory_bytes;
	uint8_t *memory;
	int err;

	if (spin_ctx__host_memory(ctx, (void **)&memory, &memory_bytes))
		die("host memory");
	memset(memory, 0xee, bytes + 1);
	err = slmp_plain__send(s, ++id, data, bytes);
	if (err) {
		printf("window %u, payload %u, %u bytes: %s\n", s->window, s->payload_bytes, bytes, strerror(-err));
		die("the plain sender fails");
	}
	while (messages == before) {
		if (poll(&fd, 1, 5000 * slow_factor()) <= 0)
			die("no completion");
		if (spin_ctx__events(ctx, on_event, NULL) < 0)
			die("events");
	}
	if (messages != before + 1 || last_message.message_id != id || last_message.length != bytes)
		die("another message than was sent");
	if (memcmp(memory, data, bytes) || memory[bytes] != 0xee)
		die("what arrived is not what was sent");
}

static void send_all(const char *address, unsigned window, unsigned payload_bytes, int last_is_silent)
{
	static const uint32_t lengths[] = { 1, 7, 8, 1000, 1462, 1463, 2924, 2925, 20000, 100001, 290000 };
	struct slmp_plain s = { .window = window, .payload_bytes = payload_bytes, .last_is_silent = last_is_silent };

	if (slmp_plain__open(&s, address, 9330))
		die("a socket");
	for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		if (lengths[i] / payload_bytes < PACKETS_MAX)
			send_one(&s, lengths[i]);
	slmp_plain__close(&s);
}

int main(void)
{
	static const unsigned windows[] = { 0, 1, 2, 16, 64 }, payloads[] = { 8, 1000, 1001, 1440 };
	uint64_t seed = 1, packets[SPIN_REASON_COUNT];
	struct pair pair;

	random_fill(&seed, data, sizeof(data));
	pair__open(&pair);
	receiver(&pair);
	for (unsigned w = 0; w < sizeof(windows) / sizeof(windows[0]); w++)
		for (unsigned p = 0; p < sizeof(payloads) / sizeof(payloads[0]); p++) {
			send_all(FAR_ADDR, windows[w], payloads[p], 0);
			send_all(FAR_ADDR6, windows[w], payloads[p], 0);
		}
	send_all(FAR_ADDR, 0, 1462, 0);
	send_all(FAR_ADDR, 64, 1462, 0);
	send_all(FAR_ADDR, 0, 1462, 1);
	send_all(FAR_ADDR6, 0, 1400, 1);
	spin_ctx__counters(ctx, packets);
	for (int r = 0; r < SPIN_REASON_COUNT; r++)
		if (packets[r] && r != SPIN_REASON_SUCCESS)
			die(spin_reason_name((enum spin_reason)r));
	printf("%u messages in %" PRIu64 " packets\n", messages, packets[SPIN_REASON_SUCCESS]);
	spin_ctx__destroy(ctx);
	pair__close(&pair);
	return 0;
}
