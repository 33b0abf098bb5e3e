/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that the application finds what the handlers counter and host_direct write for it, both on one veth. After 1000 datagrams for each
 * the application must read the exact counts in HPU memory (the handlers' state), and in host memory the latest record of each of 50 slots.
 * Handlers drop these datagrams; only one that is too short for a record must reach its socket. Run by tests/run.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/net/slow.h"
#include <spin/libspin_message.h>

#define DATAGRAMS 1000u
#define RECORDS   50u
#define COUNTED   9000 /* ports */
#define RECORDED  9001
#define WAIT_S    (10u * slow_factor())

/* The state of counter. */
struct counter {
	uint32_t packets, bytes;
};

/* The payload that host_direct.c expects. */
struct record {
	uint32_t index; /* network byte order */
	uint32_t value[7];
};

static struct spin_nic *nic;

static struct spin_ctx *attach(const char *handler, const char *match)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .message.host_bytes = RECORDS * sizeof(struct record) };
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_ctx *ctx;
	char path[512];

	if (built_object(handler, path, sizeof(path)) || spin_object__open(path, &object) || spin_rule__parse(match, &rule) ||
	    spin_ctx__create_opts(nic, object, &rule, &opts, &ctx) || spin_ctx__attach(ctx))
		fail(handler);
	spin_object__close(object);
	return ctx;
}

static int receiver(uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct timeval wait = { .tv_sec = WAIT_S };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		fail("a socket");
	return fd;
}

static void send_to(int fd, uint16_t port, const void *data, size_t bytes)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };

	inet_pton(AF_INET, FAR_ADDR, &to.sin_addr);
	if (sendto(fd, data, bytes, 0, (struct sockaddr *)&to, sizeof(to)) != (ssize_t)bytes)
		fail("sending");
}

/* Returns the number of bytes sent to be counted. */
static uint32_t send_all(int fd, struct record latest[RECORDS])
{
	static const uint8_t nothing[DATAGRAMS];
	uint32_t bytes = 0;

	for (uint32_t i = 0; i < DATAGRAMS; i++) {
		struct record r = { htonl(i % RECORDS), { i, ~i, i * i, i + 3, i + 4, i + 5, i + 6 } };

		send_to(fd, COUNTED, nothing, i + 1);
		bytes += i + 1;
		send_to(fd, RECORDED, &r, sizeof(r));
		latest[i % RECORDS] = r;
		if (i % 64 == 63)
			usleep(1000); /* the far end's ring has 256 entries */
	}
	return bytes;
}

/* The last datagram is too short for a record and is passed to the socket. All records before it have then been handled. */
static void expect_short_one(int fd)
{
	char text[64];

	expect(5, recv(fd, text, sizeof(text), 0), "bytes of the datagram that goes on to the host");
	expect(0, memcmp(text, "short", 5), "what it says");
}

int main(void)
{
	struct record latest[RECORDS];
	struct counter *counts;
	struct spin_ctx *counter, *records;
	int near, counted, recorded;
	struct pair pair;
	uint32_t sent;
	size_t bytes;
	void *host;
	char none;

	pair__open(&pair);
	near = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	netns_enter(pair.far_ns);
	expect(0, spin_nic__open(FAR_DEV, &nic), "the interface");
	counter = attach("counter", "udp dport 9000");
	records = attach("host_direct", "udp dport 9001");
	counted = receiver(COUNTED);
	recorded = receiver(RECORDED);
	sent = send_all(near, latest);
	send_to(near, RECORDED, "short", 5);
	expect_short_one(recorded);
	expect(0, spin_ctx__symbol(counter, "spin_state", (void **)&counts, &bytes), "the counts");
	expect(sizeof(*counts), (long long)bytes, "their bytes");
	for (unsigned ms = 0; ms < WAIT_S * 1000 && *(volatile uint32_t *)&counts->packets < DATAGRAMS; ms++)
		usleep(1000); /* they may have arrived on another queue than the records */
	expect(DATAGRAMS, counts->packets, "datagrams counted");
	expect(sent, counts->bytes, "bytes counted");
	expect(0, spin_ctx__host_memory(records, &host, &bytes), "host memory");
	expect(sizeof(latest), (long long)bytes, "its bytes");
	expect(0, memcmp(host, latest, sizeof(latest)), "the latest records");
	expect(-1, recv(counted, &none, 1, MSG_DONTWAIT), "datagrams that were counted and reach a socket");
	expect(-1, recv(recorded, &none, 1, MSG_DONTWAIT), "records that reach a socket");
	spin_ctx__destroy(counter);
	spin_ctx__destroy(records);
	spin_nic__close(nic);
	pair__close(&pair);
	return 0;
}
