/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A get of 100,000 bytes is answered from the entry's memory by a message of many packets, which comes to the context that the
 * get came from; one of an entry that nobody may read is not. An atomic changes the entry's memory, as does one that comes twice
 * but once.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <common/built.h>
#include <common/expect.h>
#include <common/netns.h>
#include <common/pair.h>
#include <common/slow.h>
#include <spin/slmp.h>
#include <user/libspin/libspin_message.h>

#define HOST_BYTES  (1u << 20)
#define ASKED       100000u
#define OFFSET      1000u /* in the entry */
#define TAKER_PORT  9331
#define PATIENCE_MS (15000u * slow_factor())

static struct pair pair;
static struct { unsigned answers, asked, changed; uint32_t bytes; uint64_t hdr_data; } came;

static void die(const char *what)
{
	printf("FAIL: %s: %s\n", what, spin_strerror_last());
	exit(1);
}

static struct spin_ctx *attach(const char *handler, const char *dev, const char *rule_text, int no_entry)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts),
					    .message = { .host_bytes = HOST_BYTES, .put = 1, .no_entry = no_entry } };
	struct spin_object *object;
	struct spin_nic *nic;
	struct spin_rule rule;
	struct spin_ctx *ctx;
	char path[512];

	if (built_object(handler, path, sizeof(path)))
		die(engine_why());
	if (spin_object__open(path, &object) || spin_rule__parse(rule_text, &rule) || spin_nic__open(dev, &nic) ||
	    spin_ctx__create_opts(nic, object, &rule, &opts, &ctx) || spin_ctx__attach(ctx))
		die(handler);
	spin_nic__close(nic); /* the context holds it */
	spin_object__close(object);
	return ctx;
}

static void on_answer(void *arg, const struct spin_event *e)
{
	(void)arg;
	if (e->type != SPIN_EVENT_MESSAGE || e->match_bits != 0x200)
		return;
	came.answers++;
	came.bytes = e->length;
	came.hdr_data = e->hdr_data;
}

static void on_request(void *arg, const struct spin_event *e)
{
	(void)arg;
	came.asked += e->type == SPIN_EVENT_MESSAGE && e->flags & SPIN_EVENT_GET;
	came.changed += e->type == SPIN_EVENT_MESSAGE && e->flags & SPIN_EVENT_ATOMIC;
}

/* Until so many have come, or it takes too long; and a little longer, for what is too much. */
static void wait_for(struct spin_ctx *taker, struct spin_ctx *target, unsigned answers, unsigned asked, unsigned changed)
{
	for (unsigned ms = 0, more = 0; ms < PATIENCE_MS && more < 5; ms += 20) {
		spin_ctx__events(taker, on_answer, NULL);
		spin_ctx__events(target, on_request, NULL);
		more += came.answers >= answers && came.asked >= asked && came.changed >= changed;
		poll(NULL, 0, 20);
	}
	expect(answers, came.answers, "answers");
	expect(asked, came.asked, "gets that the target's host is told of");
	expect(changed, came.changed, "atomics that it is told of");
}

/* From the taker's port, where its context has all that comes back. */
static int open_socket(void)
{
	struct sockaddr_in near = { .sin_family = AF_INET, .sin_port = htons(TAKER_PORT) };
	struct sockaddr_in far = { .sin_family = AF_INET, .sin_port = htons(SPIN_SLMP_PORT) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, NEAR_ADDR, &near.sin_addr);
	inet_pton(AF_INET, FAR_ADDR, &far.sin_addr);
	if (fd < 0 || bind(fd, (struct sockaddr *)&near, sizeof(near)) || connect(fd, (struct sockaddr *)&far, sizeof(far)))
		die("no socket");
	return fd;
}

static void request(int fd, uint32_t id, struct spin_slmp_put put, const void *payload, size_t bytes)
{
	uint8_t packet[sizeof(struct spin_slmp) + sizeof(put) + SPIN_ATOMIC_BYTES_MAX];
	struct spin_slmp slmp = { htons(SPIN_SLMP_SYN | SPIN_SLMP_EOM | SPIN_SLMP_PUT), htonl(id), 0 };

	put.version = SPIN_SLMP_VERSION;
	memcpy(packet, &slmp, sizeof(slmp));
	memcpy(packet + sizeof(slmp), &put, sizeof(put));
	memcpy(packet + sizeof(slmp) + sizeof(put), payload, bytes);
	bytes += sizeof(slmp) + sizeof(put);
	if (send(fd, packet, bytes, 0) != (ssize_t)bytes)
		die("cannot send");
}

static void ask(int fd, uint32_t id, uint64_t match_bits)
{
	const struct spin_slmp_get get = { htobe64(0x200), htobe64(7), 0 };

	request(fd, id, (struct spin_slmp_put){ .op = SPIN_SLMP_OP_GET, .length = htonl(ASKED), .match_bits = htobe64(match_bits),
						.offset = htobe64(OFFSET) }, &get, sizeof(get));
}

static void add(int fd, uint32_t id, uint32_t n)
{
	const uint32_t operands[2] = { n, 2 * n };

	request(fd, id, (struct spin_slmp_put){ .op = SPIN_SLMP_OP_ATOMIC, .atomic = htons(SPIN_ATOMIC_ADD32),
						.length = htonl(sizeof(operands)), .match_bits = htobe64(0x100) }, operands,
		sizeof(operands));
}

int main(void)
{
	const struct spin_me_opts open = { .bytes = sizeof(open), .match_bits = 0x100, .length = HOST_BYTES, .options = SPIN_ME_OP_GET };
	const struct spin_me_opts closed = { .bytes = sizeof(closed), .match_bits = 0x300, .length = HOST_BYTES };
	struct spin_ctx *taker, *target;
	uint32_t *words;
	uint8_t *memory;
	void *from, *to;
	size_t bytes;
	unsigned me;
	int fd;

	pair__open(&pair);
	close(pair.pass); /* the context that takes the answers is there instead */
	pair.pass = -1;
	taker = attach("msg_default", NEAR_DEV, "udp dport 9331", 0);
	netns_enter(pair.far_ns);
	target = attach("act_request", FAR_DEV, "udp dport 9330", 1);
	netns_enter(pair.near_ns);
	if (spin_ctx__me_append(target, &open, &me) || spin_ctx__me_append(target, &closed, &me) ||
	    spin_ctx__host_memory(target, &from, &bytes) || spin_ctx__host_memory(taker, &to, &bytes))
		die("memory");
	memory = from;
	words = from;
	for (uint32_t i = 0; i < HOST_BYTES; i++)
		memory[i] = (uint8_t)(i * 2654435761u >> 13);
	words[0] = 100;
	words[1] = 0xffffffff;
	fd = open_socket();

	ask(fd, 1, 0x100);
	wait_for(taker, target, 1, 1, 0);
	expect(ASKED, came.bytes, "bytes of the answer");
	expect(7, came.hdr_data, "what was to be told with it");
	expect(0, memcmp(to, memory + OFFSET, ASKED) != 0, "the answer is what the entry's memory holds");
	ask(fd, 2, 0x300);
	wait_for(taker, target, 1, 2, 0);
	add(fd, 3, 5);
	add(fd, 3, 5);
	add(fd, 4, 1);
	wait_for(taker, target, 1, 2, 2);
	expect(106, words[0], "the first value");
	expect(11, words[1], "the second one, which wraps");
	close(fd);
	spin_ctx__destroy(target);
	spin_ctx__destroy(taker);
	pair__close(&pair);
	return 0;
}
