/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Calibration rows of scheduling: which cluster and HPU (RISC-V core) gets a packet, and when. Values measured on PsPIN's RTL, each with
 * the function that measures it in the model. Run by accuracy.c. See hwmodel/README.md on the MPQ engine (queues of messages), dispatcher,
 * cluster schedulers and packet copies.
 */
#include <string.h>

#include "tests/accuracy/accuracy.h"

#define PACKETS 256

/* The time from a doorbell to the start of the task that waits for it: header to payload (1), or payload to completion (0). */
static void stage(struct machine *machine, const struct row *row, struct values *out)
{
	unsigned bytes = (unsigned)row->arg[1];
	struct packet packet = { .bytes = bytes, .last = 1 };
	const struct ended *one, *next;

	machine__warm(machine, row->text[0]);
	machine__warm(machine, "empty");
	packet.context = row->arg[0] ? machine__context(machine, row->text[0], "empty", NULL, WHOLE)
				     : machine__context(machine, NULL, row->text[0], "empty", WHOLE);
	machine__group(machine, &packet, 1);
	one = machine__task(machine, 0, row->arg[0] ? SOC_HEADER : SOC_PAYLOAD);
	next = machine__task(machine, 0, row->arg[0] ? SOC_PAYLOAD : SOC_COMPLETION);
	values__add(out, (double)(next->task.started - one->task.doorbell));
}

static void chain(struct machine *machine, const struct row *row, struct values *out)
{
	struct packet packet = { .bytes = 64, .last = 1 };
	const struct ended *ended[3];

	(void)row;
	machine__warm(machine, "busy_26");
	packet.context = machine__context(machine, "busy_26", "busy_26", "busy_26", WHOLE);
	machine__group(machine, &packet, 1);
	for (unsigned i = 0; i < 3; i++) {
		ended[i] = machine__task(machine, 0, SOC_HEADER + i);
		values__add(out, (double)(ended[i]->task.started - ended[0]->task.started));
	}
	values__add(out, (double)(ended[2]->task.feedback - ended[0]->task.started));
}

/* Runs `count` packets of one message with home cluster 0, and sorts the tasks by start. */
static void one_message(struct machine *machine, const char *handler, unsigned bytes, unsigned count)
{
	struct packet packets[PACKETS];

	machine__warm(machine, handler);
	machine__group(machine, packets, add_packets(packets, 0, 0, machine__context(machine, NULL, handler, NULL, WHOLE), bytes, count));
	if (machine->count != count)
		machine__fail("%u of %u tasks", machine->count, count);
	machine__sort_by_start(machine);
}

static uint64_t started(const struct machine *machine, unsigned i)
{
	return machine->ended[i].task.started;
}

/* Cycles between starts of queued payload handlers. */
static void spacing(struct machine *machine, const struct row *row, struct values *out)
{
	one_message(machine, "empty", (unsigned)row->arg[0], 16);
	values__add(out, (double)(started(machine, 15) - started(machine, 3)) / 12);
}

static void next_on_hpu(struct machine *machine, const struct row *row, struct values *out)
{
	uint64_t doorbell = 0;

	(void)row;
	one_message(machine, "busy_410", 64, 20);
	for (unsigned i = 0; i < machine->count; i++) {
		const struct ended *ended = &machine->ended[i];

		if (ended->cluster || ended->hpu)
			continue;
		if (doorbell) {
			values__add(out, (double)(ended->task.started - doorbell));
			return;
		}
		doorbell = ended->task.doorbell;
	}
	machine__fail("one task on the first HPU");
}

/* Four messages with four home clusters: the number of starts, and the order of clusters. */
static void homes(struct machine *machine, const struct row *row, struct values *out)
{
	const struct soc_context *context;
	struct packet packets[64];

	machine__warm(machine, "empty");
	context = machine__context(machine, NULL, "empty", NULL, WHOLE);
	for (unsigned i = 0; i < 64; i++)
		packets[i] = (struct packet){ i % 4, context, 64, i >= 60 };
	machine__group(machine, packets, 64);
	machine__sort_by_start(machine);
	if (row->arg[0])
		values__add(out, (double)(started(machine, 48) - started(machine, 16)) / 32);
	for (unsigned i = 32; !row->arg[0] && i < 40; i++)
		values__add(out, machine->ended[i].cluster);
}

/* One message: the number of packets that its home cluster takes before another cluster takes one. */
static void home_takes(struct machine *machine, const struct row *row, struct values *out)
{
	unsigned n = 0;

	one_message(machine, row->text[0], (unsigned)row->arg[0], (unsigned)row->arg[1]);
	while (n < (unsigned)row->arg[1] && machine__task(machine, n, SOC_PAYLOAD)->cluster == 0)
		n++;
	values__add(out, n);
}

/* The clusters of consecutive packets, from a given packet on. */
static void clusters_of(struct machine *machine, const struct row *row, struct values *out)
{
	one_message(machine, row->text[0], (unsigned)row->arg[0], (unsigned)row->arg[1]);
	for (long i = row->arg[2]; i < row->arg[2] + row->arg[3]; i++)
		values__add(out, machine__task(machine, (unsigned)i, SOC_PAYLOAD)->cluster);
}

/* The start times of consecutive packets, from a given packet on, since the arrival of the first packet. */
static void starts_of(struct machine *machine, const struct row *row, struct values *out)
{
	one_message(machine, row->text[0], (unsigned)row->arg[0], (unsigned)row->arg[1]);
	for (long i = row->arg[2]; i < row->arg[2] + row->arg[3]; i++)
		values__add(out, (double)(machine__task(machine, (unsigned)i, SOC_PAYLOAD)->task.started - machine->from));
}

/* Cycles between the starts of packets that clusters other than the home take. */
static void spilled_spacing(struct machine *machine, const struct row *row, struct values *out)
{
	one_message(machine, row->text[0], (unsigned)row->arg[0], 36);
	values__add(out, (double)(machine__task(machine, 30, SOC_PAYLOAD)->task.started -
				  machine__task(machine, 22, SOC_PAYLOAD)->task.started) /
				 8);
}

static int by_dispatch(const struct ended *a, const struct ended *b)
{
	return a->task.dispatched != b->task.dispatched ? a->task.dispatched > b->task.dispatched : a->packet > b->packet;
}

static void sort_by_dispatch(struct machine *machine)
{
	for (unsigned i = 1; i < machine->count; i++) {
		struct ended one = machine->ended[i];
		unsigned at = i;

		for (; at && by_dispatch(&machine->ended[at - 1], &one); at--)
			machine->ended[at] = machine->ended[at - 1];
		machine->ended[at] = one;
	}
}

/*
 * 84 long tasks of one message, then 4 messages of 5 packets. The value is the messages of the last 14 dispatched packets, when all
 * clusters are full.
 */
static void all_full(struct machine *machine, const struct row *row, struct values *out)
{
	const struct soc_context *context;
	struct packet packets[104];
	unsigned n;

	(void)row;
	machine__warm(machine, "busy_2009");
	context = machine__context(machine, NULL, "busy_2009", NULL, WHOLE);
	n = add_packets(packets, 0, 0, context, 64, 84);
	for (unsigned i = 0; i < 20; i++)
		packets[n++] = (struct packet){ 8 + i % 4, context, 64, i >= 16 };
	machine__group(machine, packets, n);
	sort_by_dispatch(machine);
	for (unsigned i = 90; i < 104; i++)
		values__add(out, machine->ended[i].message);
}

/* Eight messages that wait for their header handlers: the order in which they are served when all are ready, starting at m8. */
static void round_robin_order(struct machine *machine, const struct row *row, struct values *out)
{
	const struct soc_context *context;
	struct packet packets[96];
	unsigned from = 40;

	(void)row;
	machine__warm(machine, "busy_410");
	machine__warm(machine, "empty");
	context = machine__context(machine, "busy_410", "empty", NULL, WHOLE);
	for (unsigned i = 0; i < 96; i++)
		packets[i] = (struct packet){ 8 + i % 8, context, 64, i >= 88 };
	machine__group(machine, packets, 96);
	sort_by_dispatch(machine);
	while (from < 60 && machine->ended[from].message != 8)
		from++;
	for (unsigned i = 0; i < 10; i++)
		values__add(out, machine->ended[from + i].message);
}

/* Four messages of one home cluster whose header handlers start 2 cycles apart: the order of the first payload handlers. */
static void one_home(struct machine *machine, const struct row *row, struct values *out)
{
	const struct soc_context *context;
	struct packet packets[64];

	machine__warm(machine, "busy_410");
	context = machine__context(machine, "busy_410", "busy_410", NULL, WHOLE);
	for (unsigned i = 0; i < 24; i++)
		packets[i] = (struct packet){ 32 + 4 * (i % 4), context, 64, i >= 20 };
	machine__group(machine, packets, 24);
	machine__sort_by_start(machine);
	for (unsigned i = 0, n = 0; i < machine->count && n < 10; i++) {
		const struct ended *ended = &machine->ended[i];

		if (ended->task.kind != SOC_PAYLOAD || ended->cluster)
			continue;
		n++;
		values__add(out, row->arg[0] ? (double)(ended->task.started - machine->from) : ended->message);
	}
}

/* Two messages of two home clusters that wait for header handlers, 1024-byte packets: the start times on one cluster. */
static void two_messages(struct machine *machine, const struct row *row, struct values *out)
{
	const struct soc_context *context;
	struct packet packets[12];

	machine__warm(machine, "busy_410");
	context = machine__context(machine, "busy_410", "busy_410", NULL, WHOLE);
	for (unsigned i = 0; i < 12; i++)
		packets[i] = (struct packet){ 4 + i % 2, context, 1024, i >= 10 };
	machine__group(machine, packets, 12);
	machine__sort_by_start(machine);
	for (unsigned i = 0; i < machine->count; i++) {
		const struct ended *ended = &machine->ended[i];

		if (ended->task.kind == SOC_PAYLOAD && ended->cluster == row->arg[0])
			values__add(out, (double)(ended->task.started - machine->from));
	}
}

/* 36 packets of 1024 bytes behind slow packets at the heads of the rings: the time from the first start to the last. */
static void behind_slow(struct machine *machine, const struct row *row, struct values *out)
{
	unsigned slow = (unsigned)row->arg[0], n = 0;
	const struct soc_context *slowly, *context;
	struct packet packets[64];

	machine__warm(machine, "busy_2009");
	machine__warm(machine, "empty");
	slowly = machine__context(machine, NULL, "busy_2009", NULL, WHOLE);
	context = machine__context(machine, NULL, "empty", NULL, WHOLE);
	n = add_packets(packets, n, 4, slowly, 1024, slow);
	n = add_packets(packets, n, 0, context, 1024, 36);
	machine__group(machine, packets, n);
	values__add(out, (double)(machine__task(machine, n - 1, SOC_PAYLOAD)->task.started -
				  machine__task(machine, slow, SOC_PAYLOAD)->task.started));
}

#define STAGE(name, measured, header, handler, bytes)                             \
	{                                                                         \
		"load schedule", name, measured, "cycles", 0, stage, { handler }, \
		{                                                                 \
			header, bytes                                             \
		}                                                                 \
	}
#define RUN(name, measured, unit, flags, measure, handler, ...)                                  \
	{                                                                                        \
		"load schedule", name, measured, unit, ROW_LOAD | (flags), measure, { handler }, \
		{                                                                                \
			__VA_ARGS__                                                              \
		}                                                                                \
	}

/* clang-format off */
const struct row schedule_rows[] = {
	STAGE("header_to_payload_64_busy_26", "18", 1, "busy_26", 64),
	STAGE("header_to_payload_64_busy_90", "18", 1, "busy_90", 64),
	STAGE("header_to_payload_64_busy_410", "18", 1, "busy_410", 64),
	STAGE("header_to_payload_512_busy_26", "25", 1, "busy_26", 512),
	STAGE("header_to_payload_512_busy_90", "25", 1, "busy_90", 512),
	STAGE("header_to_payload_512_busy_410", "25", 1, "busy_410", 512),
	STAGE("header_to_payload_1024_busy_26", "33", 1, "busy_26", 1024),
	STAGE("header_to_payload_1024_busy_90", "33", 1, "busy_90", 1024),
	STAGE("header_to_payload_1024_busy_410", "33", 1, "busy_410", 1024),
	STAGE("payload_to_completion_64", "18", 0, "busy_26", 64),
	STAGE("payload_to_completion_512", "25", 0, "busy_26", 512),
	{"load schedule", "chain_of_busy_26", "0 44 88 115", "cycles", 0, chain, {NULL}, {0}},
	RUN("queued_payloads_64", "2.00", "cycles", 0, spacing, NULL, 64),
	RUN("queued_payloads_256", "4", "cycles", 0, spacing, NULL, 256),
	RUN("queued_payloads_512", "8", "cycles", 0, spacing, NULL, 512),
	RUN("queued_payloads_1024", "16", "cycles", 0, spacing, NULL, 1024),
	RUN("queued_payloads_4096", "64", "cycles", 0, spacing, NULL, 4096),
	RUN("doorbell_to_next_start", "1", "cycles", 0, next_on_hpu, NULL, 0),
	RUN("four_homes_cycles_per_start", "1", "cycles", 0, homes, NULL, 1),
	RUN("four_homes_clusters_in_turn", "0 1 2 3 0 1 2 3", "cluster", ROW_DOUBT, homes, NULL, 0),
	RUN("home_takes_64", "20", "packets", 0, home_takes, "busy_410", 64, 40),
	RUN("spilled_clusters_64", "1 2 3 1 2 3", "cluster", 0, clusters_of, "busy_410", 64, 40, 20, 6),
	RUN("home_starts_64", "22 24 26 28 30 32 34 36", "cycle", 0, starts_of, "busy_410", 64, 40, 0, 8),
	RUN("spilled_starts_64", "44 45 46 48 49 50 52", "cycle", 0, starts_of, "busy_410", 64, 40, 20, 7),
	RUN("spilled_spacing_256", "4", "cycles", 0, spilled_spacing, "busy_410", 256),
	RUN("spilled_spacing_1024", "16", "cycles", 0, spilled_spacing, "busy_1009", 1024),
	RUN("all_full_in_turn", "0 8 9 10 11 0 8 9 10 11 8 9 10 11", "message", 0, all_full, NULL, 0),
	RUN("ready_messages_in_turn", "8 9 10 11 12 13 14 15 8 9", "message", 0, round_robin_order, NULL, 0),
	RUN("one_home_in_turn", "32 32 32 36 32 36 40 44 32 36", "message", 0, one_home, NULL, 0),
	RUN("home_takes_4096", "18", "packets", 0, home_takes, "busy_2009", 4096, 30),
	RUN("home_takes_1024", "20", "packets", 0, home_takes, "busy_1009", 1024, 64),
	RUN("spilled_clusters_1024", "1 2 3 1 2 3", "cluster", 0, clusters_of, "busy_1009", 1024, 64, 20, 6),
	RUN("behind_3_slow_1024", "560", "cycles", 0, behind_slow, NULL, 3),
	RUN("two_messages_starts_c0", "495 511 527 543 575 603", "cycle", 0, two_messages, NULL, 0),
	RUN("two_messages_starts_c1", "559 607 623 639 655 671", "cycle", 0, two_messages, NULL, 1),
	{0}};

/* clang-format on */