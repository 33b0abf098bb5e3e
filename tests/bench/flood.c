/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Measures the throughput that a flood leaves to other senders. A sender uses one CPU and its receive queue, alone and while other hosts
 * flood the receiver through the other queue as fast as a CPU can, in alternating rounds.
 * flood FILE: writes rows as JSON to FILE, a table to stdout. Run by bench.sh (`make bench`).
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/traffic/flood.h"
#include "tests/common/measure/measure.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/pair.h"
#include "tests/common/proc.h"
#include "tests/common/random.h"
#include <spin/libspin_message.h>
#include <spin/libspin_send.h>

#define MESSAGE_BYTES 200000u
#define ROUND_NS      300000000ull
#define ROUNDS        9
#define TRIES         4u /* a failed message is resent, as applications do */
#define TARGET        0.5

enum { SEND_CPU, FLOOD_CPU };

static const struct row {
	const char *name;
	enum flood_kind kind;
	unsigned sources;
} rows[] = {
	{ "flood.first", FLOOD_FIRST, 1u << 24 },
	{ "flood.middle", FLOOD_MIDDLE, 1u << 24 },
	{ "flood.duplicate", FLOOD_DUPLICATE, 1 },
	{ "flood.one_source", FLOOD_FIRST, 1 },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static struct pair pair;
static struct spin_sender *sender;
static uint8_t data[MESSAGE_BYTES];

static void open_receiver(void)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .message = { .lose_events = 1 } };
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	char path[512];

	netns_enter(pair.far_ns);
	if (built_object("msg_default", path, sizeof(path)) || spin_object__open(path, &object) ||
	    spin_rule__parse("udp dport 9330", &rule) || spin_nic__open(FAR_DEV, &nic) ||
	    spin_ctx__create_opts(nic, object, &rule, &opts, &ctx) || spin_ctx__attach(ctx))
		die("the receiver: %s", spin_strerror_last());
	spin_object__close(object);
}

static void open_sender(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(SEND_CPU, &set);
	netns_enter(pair.near_ns);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("cannot stay on CPU %d: %s", SEND_CPU, strerror(errno));
	if (spin_sender__open(FAR_ADDR, NULL, NULL, &sender))
		die("%s", spin_strerror_last());
}

/* Returns the Mbit/s of messages that were acknowledged completely. */
static double one_round(void)
{
	uint64_t begin = now_ns(), sent = 0, took;
	unsigned tries = 0;

	do {
		if (!spin_sender__send(sender, data, sizeof(data), NULL, NULL)) {
			sent += sizeof(data);
			tries = 0;
		} else if (++tries == TRIES) {
			die("a message does not get through: %s", spin_strerror_last());
		}
		took = now_ns() - begin;
	} while (took < ROUND_NS);
	return (double)sent * 8e3 / (double)took;
}

static void measure_one(struct measure *m, const struct row *row)
{
	const struct flood flood = {
		.kind = row->kind, .sources = row->sources, .to = FAR_ADDR, .device = NEAR_DEV, .netns = pair.near_ns, .cpu = FLOOD_CPU
	};
	double idle[ROUNDS], flooded[ROUNDS];
	struct measure_row *out;
	uint64_t strangers = 0, begin, took_ns = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct flood_thread *attacker;

		idle[i] = one_round();
		attacker = flood__start(&flood);
		while (!flood__sent(attacker))
			usleep(100);
		begin = now_ns();
		flooded[i] = one_round();
		took_ns += now_ns() - begin;
		strangers += flood__stop(attacker);
	}
	printf("%-18s %6.0f packets/ms against the sender\n", row->name, (double)strangers * 1e6 / (double)took_ns);
	out = measure_add(m, row->name, measure_median(flooded, ROUNDS), "Mbit/s");
	measure_baseline(out, measure_median(idle, ROUNDS));
	measure_goal(out, MEASURE_AT_LEAST, TARGET, out->ratio);
}

int main(int argc, char **argv)
{
	static struct measure m;
	uint64_t seed = 14;

	if (geteuid() || sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		printf("skip: namespaces and XDP need root, and two CPUs\n");
		return 77;
	}
	proc_init();
	random_fill(&seed, data, sizeof(data));
	pair__open(&pair);
	open_receiver();
	open_sender();
	one_round();
	measure_begin(&m, "bench-flood");
	for (unsigned i = 0; i < ROWS; i++)
		measure_one(&m, &rows[i]);
	measure_print(&m);
	if (argc > 1 && measure_write(&m, argv[1]))
		die("%s cannot be written", argv[1]);
	return 0;
}
