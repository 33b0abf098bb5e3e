/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests acknowledged puts. A put is a message that a handler sends into another host's memory; a handler can request its acknowledgement.
 * The host of the sending side must get an event with the handler's value, and the entry's counter. A put that no target takes must also
 * have an event. An event that does not fit into the ring waits for the reader. (file_arrives_over_a_lossy_link.c shows that the library's
 * sender loses nothing on a bad link.) Run by tests/run.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/attached.h"
#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/net/slow.h"
#include <spin/slmp.h>
#include <spin/libspin_message.h>
#include "user/libspin/requests/private.h" /* while the event ring is full packets are refused as well, so the put is made here */

#define HOST_BYTES (1u << 16)
#define TAKER_PORT 9331
#define TIMEOUT_MS (30000u * slow_factor())

static struct pair pair;
static struct {
	unsigned messages, acked, failed;
	uint64_t acked_users, failed_user;
	uint32_t bytes, me;
} received;

static void die(const char *what)
{
	printf("FAIL: %s: %s\n", what, spin_strerror_last());
	exit(1);
}

static struct spin_ctx *attach(const char *handler, const char *dev, const char *rule_text)
{
	const struct spin_message_opts opts = { .host_bytes = HOST_BYTES, .put = 1 };
	struct spin_ctx *ctx;

	if (attached__open(&ctx, handler, dev, rule_text, &opts, SPIN_MODE_AUTO))
		die(handler);
	return ctx;
}

static void on_taken(void *arg, const struct spin_event *e)
{
	(void)arg;
	if (e->type != SPIN_EVENT_MESSAGE || e->match_bits != 5)
		return;
	received.messages++;
	received.bytes += e->length;
}

static void on_put(void *arg, const struct spin_event *e)
{
	(void)arg;
	if (e->type == SPIN_EVENT_PUT_ACKED) {
		received.acked++;
		received.acked_users += e->user_ptr;
		received.me = e->me;
	} else if (e->type == SPIN_EVENT_PUT_FAILED) {
		received.failed++;
		received.failed_user = e->user_ptr;
	}
}

static void wait_for(struct spin_ctx *taker, struct spin_ctx *putter, unsigned messages, unsigned acked, unsigned failed)
{
	for (unsigned ms = 0, more = 0; ms < TIMEOUT_MS && more < 5; ms += 20) {
		if (taker)
			spin_ctx__events(taker, on_taken, NULL);
		spin_ctx__events(putter, on_put, NULL);
		more += received.messages >= messages && received.acked >= acked && received.failed >= failed;
		poll(NULL, 0, 20);
	}
	if (messages != received.messages || acked != received.acked || failed != received.failed)
		printf("came: %u messages, %u acknowledged, %u failed\n", received.messages, received.acked, received.failed);
	expect(messages, received.messages, "puts that came");
	expect(acked, received.acked, "events of acknowledgements");
	expect(failed, received.failed, "events of failures");
}

/* Sends a message that makes a handler put something. */
static void send_request(int fd, uint32_t id, uint32_t op, uint32_t options, uint32_t user, uint32_t bytes, const char *target)
{
	struct {
		struct spin_slmp slmp;
		uint32_t ask[6];
	} __attribute__((packed)) packet = {
		{ htons(SPIN_SLMP_SYN | SPIN_SLMP_EOM), htonl(id), 0 },
		{ op, options, user, bytes, 0, htons(TAKER_PORT) },
	};
	struct in_addr to;

	inet_pton(AF_INET, target, &to);
	packet.ask[4] = to.s_addr;
	if (send(fd, &packet, sizeof(packet), 0) != sizeof(packet))
		die("cannot send");
}

/* Queues a put as a handler does. */
static void queue_put(struct spin_ctx *putter, int version, const char *source, const char *target, uint64_t user)
{
	struct spin_request q = { .type = SPIN_REQUEST_PUT, .bytes = 16, .acked = 1, .options = SPIN_PUT_ACK_REQ, .user_ptr = user };

	q.source.ip_version = q.put.target.ip_version = (uint16_t)version;
	q.put.target.port = htons(TAKER_PORT);
	q.put.match_bits = 5;
	inet_pton(version == 4 ? AF_INET : AF_INET6, source, q.source.addr);
	inet_pton(version == 4 ? AF_INET : AF_INET6, target, q.put.target.addr);
	requests_put__add(putter, &q);
}

/* Link-local addresses are ambiguous without an interface. */
static void put_link_local(struct spin_ctx *taker, struct spin_ctx *putter)
{
	const uint64_t users = received.acked_users;

	netns_enter(pair.far_ns);
	netns_shell("ip addr add fe80::1/64 dev " FAR_DEV " nodad");
	netns_enter(pair.near_ns);
	netns_shell("ip addr add fe80::2/64 dev " NEAR_DEV " nodad");
	queue_put(putter, 6, "fe80::1", "fe80::2", 70);
	wait_for(taker, putter, received.messages + 1, received.acked + 1, received.failed);
	expect((long long)users + 70, (long long)received.acked_users, "a link-local target's acknowledgement");
}

/* Sends messages without a put until there is no room for an event. */
static void fill_events(int fd, struct spin_ctx *putter)
{
	struct spin_message_stats stats = { 0 };

	for (uint32_t id = 1000; id < 1000000 && !stats.events_full; id++) {
		send_request(fd, id, 0, 0, 0, 0, NEAR_ADDR);
		if (!(id % 64) && spin_ctx__message_stats(putter, &stats))
			die("stats");
	}
	expect(1, stats.events_full > 0, "there is no room for events");
}

static void put_unread(int fd, struct spin_ctx *taker, struct spin_ctx *putter)
{
	const unsigned before = received.messages;
	const uint64_t users = received.acked_users;
	struct spin_put_stats stats;

	fill_events(fd, putter);
	if (spin_ctx__put_stats(putter, &stats))
		die("stats");
	queue_put(putter, 4, FAR_ADDR, NEAR_ADDR, 60);
	for (unsigned ms = 0, puts = (unsigned)stats.puts; ms < TIMEOUT_MS && puts == stats.puts; ms += 20) {
		spin_ctx__put_stats(putter, &stats);
		poll(NULL, 0, 20);
	}
	wait_for(taker, putter, before + 1, received.acked + 1, received.failed);
	expect((long long)users + 60, (long long)received.acked_users, "the acknowledgement that found no room at first");
	if (spin_ctx__put_stats(putter, &stats))
		die("stats");
	expect(0, (long long)stats.events_lost, "events that are lost");
}

int main(void)
{
	struct sockaddr_in far = { .sin_family = AF_INET, .sin_port = htons(SPIN_SLMP_PORT) };
	struct spin_ctx *taker, *putter;
	struct spin_ct ct;
	int fd;

	pair__open(&pair);
	close(pair.pass); /* the context that takes the puts replaces it */
	pair.pass = -1;
	netns_enter(pair.far_ns);
	putter = attach("act_acked", FAR_DEV, "udp dport 9330");
	netns_enter(pair.near_ns);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	inet_pton(AF_INET, FAR_ADDR, &far.sin_addr);
	if (fd < 0 || connect(fd, (struct sockaddr *)&far, sizeof(far)))
		die("no socket");

	taker = attach("msg_default", NEAR_DEV, "udp dport 9331");
	send_request(fd, 1, 2, SPIN_PUT_ACK_REQ | SPIN_PUT_CT, 10, 0, NEAR_ADDR);
	wait_for(taker, putter, 1, 1, 0);
	send_request(fd, 2, 1, SPIN_PUT_ACK_REQ, 20, 20, NEAR_ADDR);
	send_request(fd, 3, 3, SPIN_PUT_ACK_REQ | SPIN_PUT_CT, 30, 20000, NEAR_ADDR);
	send_request(fd, 4, 2, 0, 40, 0, NEAR_ADDR);
	wait_for(taker, putter, 4, 3, 0);
	expect(16 + 20 + 20000 + 16, received.bytes, "bytes that came");
	expect((60ull << 32) + 3, (long long)received.acked_users, "what the handlers gave comes back");
	expect(0, received.me, "the entry");
	if (spin_ctx__me_ct(putter, 0, &ct))
		die("counter");
	expect(2, ct.success, "successes");
	expect(0, ct.failure, "no failure");

	send_request(fd, 5, 2, SPIN_PUT_CT, 50, 0, "10.78.0.99");
	wait_for(taker, putter, 4, 3, 1);
	expect((50ll << 32) + 1, (long long)received.failed_user, "of which one nobody took");
	if (spin_ctx__me_ct(putter, 0, &ct))
		die("counter");
	expect(2, ct.success, "successes, still");
	expect(1, ct.failure, "failures");
	put_link_local(taker, putter);
	put_unread(fd, taker, putter);
	close(fd);
	spin_ctx__destroy(putter);
	spin_ctx__destroy(taker);
	pair__close(&pair);
	return 0;
}
