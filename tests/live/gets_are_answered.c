/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests gets and atomics: messages that ask for bytes of a matching entry (memory that the host has posted), or change them. A get of
 * 100,000 bytes must be answered from the entry's memory by a message of many packets, sent to the context that the get came from. A get of
 * an entry without read permission must not be answered. An atomic must change the entry's memory exactly once, even if it is duplicated.
 * Sources that are the target's own addresses, or invalid, get no answer. A source that does not acknowledge gets one packet, and must not
 * delay the target's own puts. An unlinked entry must not be read for answers that are still queued. Run by tests/run.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/common/attached.h"
#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/net/slow.h"
#include <spin/slmp.h>
#include <spin/libspin_message.h>
#include "user/libspin/requests/private.h" /* no handler can send gets and puts from host memory, so the put is made here */

#define HOST_BYTES  (1u << 20)
#define ASKED       100000u
#define OFFSET      1000u /* in the entry */
#define TAKER_PORT  9331
#define SILENT_PORT 9400u /* a socket that does not acknowledge; on the target's side, the port of another program */
#define SILENT_GETS 4u
#define MANY        200u /* number of answers; more than the queue holds */
#define TIMEOUT_MS  (15000u * slow_factor())

static struct pair pair;
static struct {
	unsigned answers, asked, changed, puts, others;
	uint32_t bytes;
	uint64_t hdr_data;
} received;

static void die(const char *what)
{
	printf("FAIL: %s: %s\n", what, spin_strerror_last());
	exit(1);
}

static struct spin_ctx *attach(const char *handler, const char *dev, const char *rule_text, int no_entry)
{
	const struct spin_message_opts opts = { .host_bytes = HOST_BYTES, .put = 1, .no_entry = no_entry };
	struct spin_ctx *ctx;

	if (attached__open(&ctx, handler, dev, rule_text, &opts, SPIN_MODE_AUTO))
		die(handler);
	return ctx;
}

static void on_answer(void *arg, const struct spin_event *e)
{
	(void)arg;
	received.puts += e->type == SPIN_EVENT_MESSAGE && e->match_bits == 0x500;
	if (e->type != SPIN_EVENT_MESSAGE || e->match_bits != 0x200)
		return;
	received.answers++;
	received.bytes = e->length;
	received.hdr_data = e->hdr_data;
}

static void on_request(void *arg, const struct spin_event *e)
{
	(void)arg;
	received.asked += e->type == SPIN_EVENT_MESSAGE && e->flags & SPIN_EVENT_GET;
	received.changed += e->type == SPIN_EVENT_MESSAGE && e->flags & SPIN_EVENT_ATOMIC;
	received.others += e->type != SPIN_EVENT_MESSAGE;
}

/* Waits until the counts are reached or the time is over, and a little longer to detect excess ones. */
static void wait_for(struct spin_ctx *taker, struct spin_ctx *target, unsigned answers, unsigned asked, unsigned changed)
{
	for (unsigned ms = 0, more = 0; ms < TIMEOUT_MS && more < 5; ms += 20) {
		spin_ctx__events(taker, on_answer, NULL);
		spin_ctx__events(target, on_request, NULL);
		more += received.answers >= answers && received.asked >= asked && received.changed >= changed;
		poll(NULL, 0, 20);
	}
	expect(answers, received.answers, "answers");
	expect(asked, received.asked, "gets in events of the target");
	expect(changed, received.changed, "atomics in events of the target");
}

/* At the taker's port its context receives all answers. At another port the socket receives them, from any port. */
static int open_socket(uint16_t near_port)
{
	struct sockaddr_in near = { .sin_family = AF_INET, .sin_port = htons(near_port) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	inet_pton(AF_INET, NEAR_ADDR, &near.sin_addr);
	if (fd < 0 || bind(fd, (struct sockaddr *)&near, sizeof(near)))
		die("no socket");
	return fd;
}

static void request(int fd, uint32_t id, struct spin_slmp_put put, const void *payload, size_t bytes)
{
	struct sockaddr_in far = { .sin_family = AF_INET, .sin_port = htons(SPIN_SLMP_PORT) };
	uint8_t packet[sizeof(struct spin_slmp) + sizeof(put) + SPIN_ATOMIC_BYTES_MAX];
	struct spin_slmp slmp = { htons(SPIN_SLMP_SYN | SPIN_SLMP_EOM | SPIN_SLMP_PUT), htonl(id), 0 };

	put.version = SPIN_SLMP_VERSION;
	memcpy(packet, &slmp, sizeof(slmp));
	memcpy(packet + sizeof(slmp), &put, sizeof(put));
	memcpy(packet + sizeof(slmp) + sizeof(put), payload, bytes);
	bytes += sizeof(slmp) + sizeof(put);
	inet_pton(AF_INET, FAR_ADDR, &far.sin_addr);
	if (sendto(fd, packet, bytes, 0, (struct sockaddr *)&far, sizeof(far)) != (ssize_t)bytes)
		die("cannot send");
}

static void send_get(int fd, uint32_t id, uint64_t match_bits)
{
	const struct spin_slmp_get get = { htobe64(0x200), htobe64(7), 0 };

	request(fd, id,
		(struct spin_slmp_put){
			.op = SPIN_SLMP_OP_GET, .length = htonl(ASKED), .match_bits = htobe64(match_bits), .offset = htobe64(OFFSET) },
		&get, sizeof(get));
}

static void send_atomic_add(int fd, uint32_t id, uint32_t n)
{
	const uint32_t operands[2] = { n, 2 * n };

	request(fd, id,
		(struct spin_slmp_put){ .op = SPIN_SLMP_OP_ATOMIC,
					.atomic = htons(SPIN_ATOMIC_ADD32),
					.length = htonl(sizeof(operands)),
					.match_bits = htobe64(0x100) },
		operands, sizeof(operands));
}

static struct spin_put_stats stats_of(struct spin_ctx *ctx)
{
	struct spin_put_stats stats;

	if (spin_ctx__put_stats(ctx, &stats))
		die("stats");
	return stats;
}

static void wait_for_failures(struct spin_ctx *target, uint64_t failures)
{
	for (unsigned ms = 0; ms < TIMEOUT_MS && stats_of(target).answers_failed < failures; ms += 20)
		poll(NULL, 0, 20);
	expect((long long)failures, (long long)stats_of(target).answers_failed, "gets that were not answered");
}

/* Sends a get with a forged source address. */
static void send_get_from(int raw, uint32_t id, const char *source)
{
	const struct spin_slmp slmp = { htons(SPIN_SLMP_SYN | SPIN_SLMP_EOM | SPIN_SLMP_PUT), htonl(id), 0 };
	const struct spin_slmp_put put = {
		.op = SPIN_SLMP_OP_GET, .version = SPIN_SLMP_VERSION, .length = htonl(16), .match_bits = htobe64(0x100)
	};
	const struct spin_slmp_get get = { htobe64(0x200), htobe64(7), 0 };
	struct iphdr ip = { .version = 4, .ihl = sizeof(ip) / 4, .ttl = 64, .protocol = IPPROTO_UDP };
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct udphdr udp = { 0 };
	struct iovec part[] = { { &ip, sizeof(ip) },
				{ &udp, sizeof(udp) },
				{ (void *)&slmp, sizeof(slmp) },
				{ (void *)&put, sizeof(put) },
				{ (void *)&get, sizeof(get) } };
	const struct msghdr message = { .msg_name = &to, .msg_namelen = sizeof(to), .msg_iov = part, .msg_iovlen = 5 };

	inet_pton(AF_INET, FAR_ADDR, &to.sin_addr);
	ip.daddr = to.sin_addr.s_addr;
	inet_pton(AF_INET, source, &ip.saddr);
	udp.source = htons(SILENT_PORT);
	udp.dest = htons(SPIN_SLMP_PORT);
	udp.len = htons(sizeof(udp) + sizeof(slmp) + sizeof(put) + sizeof(get));
	if (sendmsg(raw, &message, 0) < 0)
		die("cannot send a raw packet");
}

/* Queues the answer to a get of this entry, as the target's program does. */
static void queue_answer(struct spin_ctx *target, unsigned entry, int version, const char *source, const char *to)
{
	struct spin_request q = { .type = SPIN_REQUEST_PUT, .bytes = 16, .options = SPIN_REQUEST_ANSWER, .me = entry };
	struct spin_me me;

	if (spin_ctx__me_get(target, entry, &me))
		die("entry");
	q.me_serial = me.serial;
	q.source.ip_version = q.put.target.ip_version = (uint16_t)version;
	q.put.target.port = htons(SILENT_PORT);
	inet_pton(version == 4 ? AF_INET : AF_INET6, source, q.source.addr);
	inet_pton(version == 4 ? AF_INET : AF_INET6, to, q.put.target.addr);
	requests_put__add(target, &q);
}

/*
 * On the loopback interface the source may be on this machine. The thread is in the target's namespace, and `program` is a
 * socket there.
 */
static void answer_on_loopback(int program)
{
	const struct spin_me_opts open = { .bytes = sizeof(open), .length = HOST_BYTES, .options = SPIN_ME_OP_GET };
	struct spin_ctx *target = attach("act_request", "lo", "udp dport 9330", 1);
	struct pollfd fd = { program, POLLIN, 0 };
	uint8_t data[64];
	unsigned me;

	if (spin_ctx__me_append(target, &open, &me))
		die("append");
	queue_answer(target, me, 4, "127.0.0.1", "224.0.0.1");
	wait_for_failures(target, 1);
	queue_answer(target, me, 4, "127.0.0.1", "127.0.0.1");
	expect(1, poll(&fd, 1, (int)TIMEOUT_MS), "an answer on the loopback");
	spin_ctx__destroy(target);
	while (recv(program, data, sizeof(data), MSG_DONTWAIT) >= 0)
		;
}

static void gets_from_invalid_sources(struct spin_ctx *taker, struct spin_ctx *target)
{
	static const char *const sources[] = { "127.0.0.1", "127.9.9.9", FAR_ADDR, "10.78.0.255", "224.0.0.1", "255.255.255.255" };
	static const char *const sources6[] = { "::1", FAR_ADDR6, "::", "ff02::1", "::ffff:127.0.0.1", "::ffff:" FAR_ADDR };
	const unsigned count = sizeof(sources) / sizeof(sources[0]), count6 = sizeof(sources6) / sizeof(sources6[0]);
	struct sockaddr_in6 any = { .sin6_family = AF_INET6, .sin6_port = htons(SILENT_PORT) };
	uint64_t before = stats_of(target).answers_failed, answers = stats_of(target).answers;
	int raw = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW), program;
	uint8_t data[64];

	netns_enter(pair.far_ns);
	program = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (raw < 0 || program < 0 || bind(program, (struct sockaddr *)&any, sizeof(any)))
		die("no sockets");
	answer_on_loopback(program);
	netns_enter(pair.near_ns);
	for (unsigned i = 0; i < count; i++)
		send_get_from(raw, 100 + i, sources[i]);
	wait_for_failures(target, before + count);
	wait_for(taker, target, received.answers, received.asked + count, received.changed);
	for (unsigned i = 0; i < count6; i++)
		queue_answer(target, 0, 6, FAR_ADDR6, sources6[i]);
	wait_for_failures(target, before + count + count6);
	expect((long long)answers, (long long)stats_of(target).answers, "answers to this machine itself, or to nobody");
	expect(-1, recv(program, data, sizeof(data), MSG_DONTWAIT), "what a program at the target has of them");
	close(program);
	close(raw);
}

/* Queues a put of the target's own handlers, while others wait for acknowledgements that never come. */
static void put_from(struct spin_ctx *target)
{
	struct spin_request put = { .type = SPIN_REQUEST_PUT, .bytes = 100 };

	put.source.ip_version = put.put.target.ip_version = 4;
	put.put.target.port = htons(TAKER_PORT);
	put.put.match_bits = 0x500;
	inet_pton(AF_INET, FAR_ADDR, put.source.addr);
	inet_pton(AF_INET, NEAR_ADDR, put.put.target.addr);
	requests_put__add(target, &put);
}

static void gets_without_acks(int fd, struct spin_ctx *taker, struct spin_ctx *target)
{
	const struct spin_me_opts use_once = {
		.bytes = sizeof(use_once), .match_bits = 0x700, .length = HOST_BYTES, .options = SPIN_ME_OP_GET | SPIN_ME_USE_ONCE
	};
	const uint64_t before = stats_of(target).answers_failed;
	const unsigned asked = received.asked, answers = received.answers;
	int silent = open_socket(SILENT_PORT);
	unsigned packets = 0, later = 0, once;
	struct spin_slmp slmp;
	struct spin_me me;

	for (uint32_t i = 0; i < SILENT_GETS; i++)
		send_get(silent, 200 + i, 0x100);
	wait_for(taker, target, answers, asked + SILENT_GETS, received.changed);
	put_from(target);
	for (unsigned ms = 0; ms < TIMEOUT_MS && !received.puts; ms += 20) {
		spin_ctx__events(taker, on_answer, NULL);
		poll(NULL, 0, 20);
	}
	expect(1, received.puts, "puts of the target's own");
	expect(1, stats_of(target).answers_failed < before + SILENT_GETS, "it comes before the silent ones are given up");

	/* queued behind the silent ones: a get of an entry that is unlinked first, and a get of a use-once entry */
	if (spin_ctx__me_append(target, &use_once, &once))
		die("append");
	send_get(fd, 300, 0x100);
	send_get(fd, 301, 0x700);
	wait_for(taker, target, answers, asked + SILENT_GETS + 2, received.changed);
	if (spin_ctx__me_get(target, once, &me))
		die("entry");
	expect(SPIN_ME_UNREAD, me.state, "an entry that is to be read for an answer, when its event was read");
	for (unsigned i = 0; i < MANY; i++)
		queue_answer(target, 0, 4, FAR_ADDR, NEAR_ADDR);
	expect(1, stats_of(target).answers_failed >= before + MANY - REQUESTS_ANSWERS_MAX, "answers that are too many");
	if (spin_ctx__me_unlink(target, 0))
		die("unlink");
	wait_for_failures(target, before + SILENT_GETS + 1 + MANY);
	wait_for(taker, target, answers + 1, asked + SILENT_GETS + 2, received.changed);
	for (unsigned ms = 0; ms < TIMEOUT_MS && !spin_ctx__me_get(target, once, &me) && me.state != SPIN_ME_FREE; ms += 20)
		poll(NULL, 0, 20);
	expect(SPIN_ME_FREE, me.state, "when the answer has gone");
	while (recv(silent, &slmp, sizeof(slmp), MSG_DONTWAIT) == sizeof(slmp)) {
		packets++;
		later += slmp.offset != 0;
	}
	expect(1, packets > 0, "a silent source is sent something");
	expect(0, later, "packets beyond the first one that it has not acknowledged");
	close(silent);
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
	close(pair.pass); /* the context that takes the answers replaces it */
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
	fd = open_socket(TAKER_PORT);

	send_get(fd, 1, 0x100);
	wait_for(taker, target, 1, 1, 0);
	expect(ASKED, received.bytes, "bytes of the answer");
	expect(7, received.hdr_data, "what was to be told with it");
	expect(0, memcmp(to, memory + OFFSET, ASKED) != 0, "the answer is what the entry's memory holds");
	send_get(fd, 2, 0x300);
	wait_for(taker, target, 1, 2, 0);
	send_atomic_add(fd, 3, 5);
	send_atomic_add(fd, 3, 5);
	send_atomic_add(fd, 4, 1);
	wait_for(taker, target, 1, 2, 2);
	expect(106, words[0], "the first value");
	expect(11, words[1], "the second one, which wraps");
	gets_from_invalid_sources(taker, target);
	gets_without_acks(fd, taker, target);
	expect(0, received.others, "events that nobody asked for");
	close(fd);
	spin_ctx__destroy(target);
	spin_ctx__destroy(taker);
	pair__close(&pair);
	return 0;
}
