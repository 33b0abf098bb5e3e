/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests spin_socket__migrate(), by spind and behind its guard: the handlers on a program's socket are replaced by handlers whose state has
 * another layout, while datagrams arrive. Each datagram must be handled and read once. spin_ctx__alive() must tell the program that its
 * memory was moved; the program maps it again, and must find every count. Run by tests/run.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/common/net/udp_hosts.h"
#include "tests/common/net/slow.h"
#include "tests/common/proc.h"
#include "tests/common/spind.h"
#include "tests/common/traffic/migration_handler.h"
#include <spin/libspin_socket.h>

#define MOVES  12
#define UNREAD 64 /* datagrams in flight, few enough that no queue drops them */
#define COUNT  "spin_add32((uint32_t *)&state->packets, 1);"

static const struct moving_source sources[] = {
	{ "struct slot { SPIN_KEY(uint32_t, key); SPIN_COUNTER(hits); };\nSPIN_TABLE(slots, struct slot, 64);", "uint32_t packets, other;",
	  ".other = 0", COUNT },
	{ "struct slot { SPIN_KEY(uint32_t, key); SPIN_COUNTER(misses); SPIN_COUNTER(hits); SPIN_COUNTER(pad); };\n"
	  "SPIN_TABLE(slots, struct slot, 1024);",
	  "uint32_t added; uint64_t packets;", ".added = 5", COUNT },
	{ "struct slot { SPIN_KEY(uint32_t, key); SPIN_COUNTER(hits); };\nSPIN_TABLE(slots, struct slot, 64);",
	  "uint64_t packets; uint32_t added;", ".added = 1", COUNT },
};

static struct udp_hosts hosts;
static struct spind spind;
static int receiver, sender;
static volatile int ended;
static volatile uint64_t sent, received;

static void *send_datagrams(void *unused)
{
	char byte = 1;

	(void)unused;
	while (!ended) {
		if (sent - received > UNREAD) {
			usleep(100);
			continue;
		}
		if (send(sender, &byte, 1, 0) == 1)
			sent++;
	}
	return NULL;
}

static void *read_datagrams(void *unused)
{
	char byte;

	(void)unused;
	while (!ended || received < sent) {
		if (recv(receiver, &byte, 1, 0) == 1)
			received++;
		else if (ended)
			break; /* nothing arrived for a third of a second */
	}
	return NULL;
}

static void expect_counts(struct spin_ctx *ctx)
{
	uint64_t packets[SPIN_REASON_COUNT];

	spin_ctx__counters(ctx, packets);
	if (packets[SPIN_REASON_SUCCESS] != sent || migration_handler__field(ctx, "spin_state.packets") != sent || received != sent)
		die("%llu datagrams sent, %llu handled, %llu added up, %llu read", (unsigned long long)sent,
		    (unsigned long long)packets[SPIN_REASON_SUCCESS],
		    (unsigned long long)migration_handler__field(ctx, "spin_state.packets"), (unsigned long long)received);
}

/*
 * The fields that a migration loses: from objects[1] to objects[2] counters of the table, and from the first source a field that only it
 * has.
 */
static const char *lost_fields(unsigned from, unsigned to)
{
	return !from ? "spin_state.other" : from == 1 && to == 2 ? "slots[].misses, slots[].pad" : "";
}

/* Migrates through a second connection, as `spinctl swap --migrate` does. */
static unsigned move(struct spin_ctx *ctx, struct spin_object *const *objects, unsigned moves)
{
	struct spin_migration report = { .bytes = sizeof(report) };
	unsigned moved = 0, at = 0;

	for (unsigned i = 0; i < moves; i++) {
		const unsigned to = 1 + i % 2;
		const int err = spin_socket__migrate(spin_socket__id(ctx), objects[to], spind.socket, &report);

		if (err == -EAGAIN) /* a CPU always had packets */
			continue;
		if (err)
			die("moving: %s", spin_strerror_last());
		if (strcmp(report.lost, lost_fields(at, to)))
			die("from %u to %u is lost: %s", at, to, report.lost);
		at = to;
		moved++;
		if (spin_ctx__alive(ctx) != -ESTALE || spin_socket__renew(ctx) || spin_ctx__alive(ctx) != 1)
			die("the program does not learn that its memory was moved: %s", spin_strerror_last());
	}
	return moved;
}

int main(void)
{
	const unsigned moves = (unsigned)slow_rounds(MOVES);
	struct spin_object *objects[3];
	union asks_address to;
	pthread_t threads[2];
	struct spin_ctx *ctx;
	unsigned moved;
	void *slots;
	size_t bytes;

	udp_hosts__hosts(&hosts);
	spind__start(&spind, "");
	for (unsigned i = 0; i < 3; i++)
		objects[i] = migration_handler__compile(&sources[i]);
	receiver = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	udp_hosts__bind(receiver, "127.0.0.1", UDP_HOSTS_PORT);
	sender = udp_hosts__socket(&hosts, hosts.server_ns, AF_INET);
	if (connect(sender, &to.any, udp_hosts__address("127.0.0.1", UDP_HOSTS_PORT, &to)))
		die("no sender");
	ctx = spind__attach(&spind, receiver, objects[0], NULL);
	if (spin_ctx__table_insert(ctx, "slots", "key=77 hits=5"))
		die("a table: %s", spin_strerror_last());
	if (pthread_create(&threads[0], NULL, send_datagrams, NULL) || pthread_create(&threads[1], NULL, read_datagrams, NULL))
		die("no threads");
	moved = move(ctx, objects, moves);
	ended = 1;
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("moved %u of %u times while %llu datagrams came\n", moved, moves, (unsigned long long)sent);
	if (!moved || !sent)
		die("nothing was moved while datagrams came");
	expect_counts(ctx);
	if (spin_ctx__symbol(ctx, "slots", &slots, &bytes) || spin_ctx__table_delete(ctx, "slots", "key=77"))
		die("the table's entry has not come along: %s", spin_strerror_last());
	spin_ctx__destroy(ctx);
	for (unsigned i = 0; i < 3; i++)
		spin_object__close(objects[i]);
	spind__cleanup(&spind);
	return 0;
}
