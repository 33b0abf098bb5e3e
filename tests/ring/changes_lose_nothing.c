/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test of rings, AF_XDP sockets by which handlers deliver packets to a program past the host's stack. While packets arrive and are read, a
 * ring is created (packets go to the UDP socket before, and to the ring after that), handlers are replaced, and the match rule changes.
 * Each datagram must arrive once. Then the context is detached, attached again, and destroyed. Run by tests/run.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/slow.h"
#include "tests/common/ring_fixture.h"

#define CHANGES 30
#define BATCH   16

static struct ring_fixture r;
static volatile int ended, reading;
static struct ringed_seen seen;
static uint64_t sent;

/* Returns the number of packets that the ring holds. */
static uint64_t waiting(void)
{
	struct spin_ring_stats stats;

	if (!reading || spin_ring__stats(r.ring, &stats))
		return 0;
	return stats.delivered - stats.received - stats.lost;
}

/* Sends slowly enough for the reader, however busy the machine is: a ring has 4096 frames. */
static void *send_numbers(void *arg)
{
	(void)arg;
	while (!ended) {
		if (waiting() > SPIN_RING_FRAMES / 4) {
			usleep(1000);
			continue;
		}
		ring_fixture__send_datagrams(&r, sent, BATCH, 300);
		sent += BATCH;
		usleep(200);
	}
	return NULL;
}

static void *read_ring(void *arg)
{
	(void)arg;
	while (reading)
		if (!spin_ring__receive(r.ring, ringed__check_packets, &seen))
			usleep(100);
	return NULL;
}

static uint64_t from_socket(int fd)
{
	uint8_t datagram[2048];
	uint64_t number, next = 0, count = 0;
	ssize_t bytes;

	for (; (bytes = recv(fd, datagram, sizeof(datagram), MSG_DONTWAIT)) >= 0; count++) {
		memcpy(&number, datagram + 4, sizeof(number));
		if (bytes != 300 || number < next)
			fail("a datagram came twice to the socket");
		next = number + 1;
	}
	return count;
}

static int receiver(void)
{
	const struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons(RING_FIXTURE_PORT) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), bytes = 64 << 20;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) ||
	    bind(fd, (const struct sockaddr *)&own, sizeof(own)))
		fail("a socket");
	return fd;
}

/* Compiles handlers/empty.c, changed to deliver. */
static struct spin_object *open_delivering(void)
{
	char directory[] = "/tmp/spin-ring-XXXXXX", path[64], command[1024];
	struct spin_object *object;

	if (!mkdtemp(directory))
		fail("a directory");
	snprintf(path, sizeof(path), "%s/empty.spin", directory);
	snprintf(command, sizeof(command), "sed 's/SPIN_DROP/SPIN_SUCCESS/' handlers/empty.c >%s/empty.c && %s/bin/spincc -o %s %s/empty.c",
		 directory, built_dir(), path, directory);
	expect(0, system(command), "compiling a handler");
	expect(0, spin_object__open(path, &object), "the object");
	snprintf(command, sizeof(command), "rm -r %s", directory);
	expect(0, system(command), "removing it");
	return object;
}

static void change(unsigned i, struct spin_object *object)
{
	struct spin_rule rule;

	expect(0, spin_ctx__swap(r.ctx, object), "other handlers");
	expect(0, spin_rule__parse(i % 2 ? "udp dport 9000" : "udp dport 9000-9001", &rule), "a rule");
	expect(0, spin_ctx__set_rule(r.ctx, &rule), "the other rule");
	/* an impossible rule: the old one stays */
	expect(0, spin_rule__parse("udp dport 9000,9005", &rule), "a rule");
	if (spin_ctx__set_rule(r.ctx, &rule) >= 0)
		fail("a rule that overlaps with another context's");
}

static void while_packets_come(void)
{
	const unsigned changes = (unsigned)slow_rounds(CHANGES);
	struct spin_object *object = built_open("returns");
	struct spin_ctx *other = ring_fixture__context(&r, "returns", "udp dport 9005", NULL);
	int fd = receiver();
	pthread_t sender, reader;
	uint64_t host;

	if (pthread_create(&sender, NULL, send_numbers, NULL))
		fail("a thread");
	usleep(50000);
	r.ring = ring_fixture__ring(r.ctx, NULL);
	reading = 1;
	if (pthread_create(&reader, NULL, read_ring, NULL))
		fail("a thread");
	for (unsigned i = 0; i < changes; i++)
		change(i, object);
	ended = 1;
	pthread_join(sender, NULL);
	ring_fixture__wait(r.ctx, sent);
	usleep(100000);
	reading = 0;
	pthread_join(reader, NULL);
	host = from_socket(fd);
	printf("%llu sent: %llu to the socket, %llu to the ring\n", (unsigned long long)sent, (unsigned long long)host,
	       (unsigned long long)seen.count);
	expect((long long)sent, (long long)(host + seen.count), "datagrams that arrived");
	if (!host || !seen.count)
		fail("one of the two got none");
	ring_fixture__expect(r.ring, seen.count, seen.count, 0, 0);
	close(fd);
	spin_ctx__destroy(other);
	spin_object__close(object);
}

/* After a detach the packets received so far can still be read, and a new attach brings the ring back. */
static void detached_and_back(void)
{
	const uint64_t before = seen.count;

	ring_fixture__send_datagrams(&r, sent, 20, 100);
	ring_fixture__wait(r.ctx, sent + 20);
	expect(0, spin_ctx__detach(r.ctx), "detaching");
	ring_fixture__send_datagrams(&r, sent + 20, 20, 100);
	ring_fixture__receive(r.ring, &seen, before + 20);
	expect(0, spin_ctx__attach(r.ctx), "attaching again");
	ring_fixture__send_datagrams(&r, sent + 40, 20, 100);
	ring_fixture__receive(r.ring, &seen, before + 40);
	expect((long long)(sent + 60), (long long)seen.next, "the last datagram");
	ring_fixture__expect(r.ring, before + 40, before + 40, 0, 0);
	r.ring = NULL; /* ring_fixture__close() destroys it with the context */
}

static void send_counted(enum spin_reason reason)
{
	uint64_t packets[SPIN_REASON_COUNT], sum = 0;

	spin_ctx__counters(r.ctx, packets);
	for (int i = 0; i < SPIN_REASON_COUNT; i++)
		sum += packets[i];
	expect(0, (long long)packets[reason], "packets that these handlers have had");
	ring_fixture__send_datagrams(&r, sent, BATCH, 100);
	ring_fixture__wait(r.ctx, sum + BATCH);
	spin_ctx__counters(r.ctx, packets);
	expect(BATCH, (long long)packets[reason], spin_reason_name(reason));
}

/* The ring uses the context's current handlers, and its counters continue. */
static void other_handlers(void)
{
	struct spin_object *object = open_delivering(), *dropping = built_open("empty");

	r.ctx = ring_fixture__context(&r, "empty", "udp dport 9000", NULL);
	r.ring = ring_fixture__ring(r.ctx, NULL);
	send_counted(SPIN_REASON_DROPPED);
	expect(0, spin_ctx__swap(r.ctx, object), "other handlers");
	ring_fixture__expect(r.ring, 0, 0, 0, 0);
	send_counted(SPIN_REASON_SUCCESS);
	ring_fixture__expect(r.ring, BATCH, 0, 0, 0);
	expect(0, spin_ctx__swap(r.ctx, dropping), "the first handlers");
	ring_fixture__send_datagrams(&r, sent, BATCH, 100);
	ring_fixture__wait(r.ctx, 3 * BATCH);
	ring_fixture__expect(r.ring, BATCH, 0, 0, 0);
	spin_object__close(dropping);
	spin_object__close(object);
	r.ring = NULL;
}

int main(void)
{
	ring_fixture__open(&r, SPIN_MODE_NATIVE);
	other_handlers();
	spin_ctx__destroy(r.ctx);
	r.ctx = ring_fixture__context(&r, "returns", "udp dport 9000", NULL);
	while_packets_come();
	detached_and_back();
	ring_fixture__close(&r);
	return 0;
}
