/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Offers packets at once to the NIC model with 32 HPUs (cores). When and where each is served must equal the RTL measurements to the cycle
 * (the tables of packet path and scheduling under load). Run by tests/run.
 */
#include "tests/model/common/rig.h"

#define TASKS_MAX 512
#define NEVER     UINT64_MAX

static struct rig rig;
static int failures;

static struct served {
	uint64_t dispatched, started, doorbell, feedback;
	uint32_t message, packet_l1;
	enum soc_task_kind kind;
	unsigned cluster, hpu;
	int pops;
} served[TASKS_MAX]; /* in order of their starts */
static unsigned served_count;
static uint64_t base; /* cycle 0 of a group of packets */
static unsigned freed_count, room_count;

static void on_end(void *arg, struct soc_task *task, int pops)
{
	struct served *r = &served[served_count < TASKS_MAX ? served_count : TASKS_MAX - 1];

	(void)arg;
	served_count++;
	*r = (struct served){
		task->dispatched - base, task->started - base, task->doorbell - base, task->feedback - base, task->her->message_id,
		task->packet_l1,         task->kind,           task->hpu->cluster,    task->hpu->index,      pops
	};
}

static void on_freed(void *arg, uint32_t message, uint64_t cycle)
{
	(void)arg;
	(void)message;
	(void)cycle;
	freed_count++;
}

static void on_room(void *arg, uint64_t cycle)
{
	(void)arg;
	(void)cycle;
	room_count++;
}

static int by_start(const void *a, const void *b)
{
	const struct served *x = a, *y = b;

	return x->started != y->started ? (x->started > y->started) - (x->started < y->started) : (int)x->cluster - (int)y->cluster;
}

static int by_dispatch(const void *a, const void *b)
{
	const struct served *x = a, *y = b;

	return (x->dispatched > y->dispatched) - (x->dispatched < y->dispatched);
}

static void run(void)
{
	served_count = 0;
	freed_count = 0;
	soc__run(&rig.soc, UINT64_MAX);
	qsort(served, served_count < TASKS_MAX ? served_count : TASKS_MAX, sizeof(served[0]), by_start);
}

static uint32_t function(const char *name)
{
	return name ? rig__function(&rig, name) : 0;
}

static struct soc_context context(const char *header, const char *payload, const char *completion, uint32_t bytes_in_l1)
{
	return (struct soc_context){ .header = function(header),
				     .payload = function(payload),
				     .completion = function(completion),
				     .bytes_in_l1 = bytes_in_l1,
				     .scratchpad = L1_PACKETS + 0x10000 };
}

static void offer(uint64_t cycle, uint32_t message, const struct soc_context *context, uint32_t bytes, int is_last)
{
	struct soc_her her = { .message_id = message, .l2 = L2_PACKET, .bytes = bytes, .end_of_message = is_last, .context = context };

	if (soc__her(&rig.soc, base + cycle, &her)) {
		printf("FAIL a HER of message %u is refused\n", message);
		failures++;
	}
}

static uint64_t beats(uint32_t bytes)
{
	return (bytes + 63) / 64;
}

/* Offers a message of `packets` packets, as fast as the link delivers them. */
static void offer_message(uint64_t cycle, uint32_t message, const struct soc_context *context, uint32_t bytes, unsigned packets)
{
	for (unsigned i = 0; i < packets; i++)
		offer(cycle + i * beats(bytes), message, context, bytes, i == packets - 1);
}

static void start_group(void)
{
	base = rig.soc.now + 1000;
}

/* Loads the handlers' code into each cluster's cache. */
static void warm(const struct soc_context *context)
{
	for (uint32_t cluster = 0; cluster < 4; cluster++) {
		start_group();
		offer(0, cluster, context, 64, 1);
		run();
	}
	start_group();
}

static void expect(const char *what, uint64_t have, uint64_t want)
{
	if (have == want)
		return;
	printf("FAIL %s: %llu, measured on the RTL %llu\n", what, (unsigned long long)have, (unsigned long long)want);
	failures++;
}

static void expect_starts(const char *what, const uint64_t *want, unsigned count)
{
	char each[128];

	for (unsigned i = 0; i < count; i++) {
		snprintf(each, sizeof(each), "%s: start %u", what, i);
		expect(each, i < served_count ? served[i].started : NEVER, want[i]);
	}
}

static void idle_path(void)
{
	static const struct {
		uint32_t bytes;
		uint64_t start, feedback;
	} rows[] = { { 64, 17, 27 }, { 256, 20, 30 }, { 1024, 32, 42 } };

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct soc_context empty = context(NULL, "empty", NULL, rows[i].bytes);

		warm(&empty);
		offer(0, 5, &empty, rows[i].bytes, 1);
		run();
		expect("HER -> HPU takes task", served[0].started, rows[i].start);
		expect("HER -> feedback, empty handler", served[0].feedback, rows[i].feedback);
		expect("home cluster", served[0].cluster, 1);
		expect("message is free", freed_count, 1);
	}
}

static void stages_of_a_message(void)
{
	static const uint32_t bytes[] = { 64, 512, 1024 };
	static const char *const busy[] = { "busy_26", "busy_90", "busy_410" };
	struct soc_context all = context("empty", "empty", "empty", 64);

	warm(&all);
	offer(0, 0, &all, 64, 1);
	run();
	expect("header -> payload -> completion, all empty", served[2].feedback, 81);
	expect("the completion's feedback alone frees the packet", served[0].pops * 4 + served[1].pops * 2 + served[2].pops, 1);

	all = context("busy_26", "busy_26", "busy_26", 64);
	warm(&all);
	offer(0, 0, &all, 64, 1);
	run();
	expect("chain of 1 packet: payload", served[1].started - served[0].started, 44);
	expect("chain of 1 packet: completion", served[2].started - served[0].started, 88);
	expect("chain of 1 packet: feedback", served[2].feedback - served[0].started, 115);

	for (unsigned i = 0; i < 3; i++)
		for (unsigned j = 0; j < 3; j++) {
			all = context(busy[j], "empty", "empty", bytes[i]);
			warm(&all);
			offer_message(0, 4, &all, bytes[i], 3);
			run();
			expect("busy", served[0].doorbell - served[0].started, j == 0 ? 26 : j == 1 ? 90 : 410);
			expect("header doorbell -> first payload start", served[1].started - served[0].doorbell, 17 + beats(bytes[i]));
			expect("last payload doorbell -> completion start", served[4].started - served[3].doorbell, 17 + beats(bytes[i]));
		}
}

static void queued_payloads(void)
{
	static const uint32_t bytes[] = { 64, 256, 512, 1024, 4096 };

	for (unsigned i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		struct soc_context all = context("busy_410", "empty", NULL, bytes[i]);

		warm(&all);
		offer_message(0, 2, &all, bytes[i], 9);
		run();
		for (unsigned k = 2; k < 8; k++)
			expect("queued payloads, apart", served[k].started - served[k - 1].started,
			       beats(bytes[i]) > 2 ? beats(bytes[i]) : 2);
	}
}

static void several_messages(void)
{
	struct soc_context empty = context(NULL, "empty", NULL, 64);

	warm(&empty);
	for (unsigned i = 0; i < 128; i++)
		offer(i, i, &empty, 64, 1);
	run();
	expect("all are served", served_count, 128);
	for (unsigned i = 4; i < 128; i++) {
		expect("different homes: a start per cycle", served[i].started - served[i - 1].started, 1);
		expect("different homes: clusters in turn", served[i].cluster, (served[i - 1].cluster + 1) % 4);
	}
}

static void one_hpu_saturated(void)
{
	struct soc_context empty = context(NULL, "empty", NULL, 64), long_one = context(NULL, "busy_26", NULL, 64);
	struct served *last = NULL;

	warm(&long_one);
	warm(&empty);
	offer_message(0, 0, &long_one, 64, 60);
	run();
	for (unsigned i = 0; i < served_count; i++) {
		if (served[i].cluster || served[i].hpu)
			continue;
		if (last)
			expect("a waiting task starts after the doorbell", served[i].started - last->doorbell, 1);
		if (last && last != served)
			expect("HPU start to start, saturated: B + 9", served[i].started - last->started, 19 + 9);
		last = &served[i];
	}
}

static void beyond_the_home(void)
{
	static const uint64_t starts[] = { 22, 24, 26, 28, 30, 32, 34, 36, 44, 45, 46, 48, 49, 50, 52 };
	static const unsigned clusters[] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 1, 2, 3, 1 };
	struct soc_context long_one = context(NULL, "busy_410", NULL, 64);
	unsigned at_home = 0;

	warm(&long_one);
	offer_message(5, 0, &long_one, 64, 32);
	run();
	expect_starts("beyond the home", starts, 15);
	for (unsigned i = 0; i < 15; i++)
		expect("beyond the home: cluster", served[i].cluster, clusters[i]);
	for (unsigned i = 0; i < served_count; i++)
		at_home += !served[i].cluster;
	expect("packets to the home", at_home, 20);
}

static void beyond_the_home_large(uint32_t bytes)
{
	struct soc_context long_one = context(NULL, "busy_2010", NULL, bytes);

	warm(&long_one);
	offer_message(0, 0, &long_one, bytes, 44);
	run();
	for (unsigned i = 9; i < 20; i++) {
		expect("spilled starts, apart", served[i].started - served[i - 1].started, beats(bytes));
		expect("spilled starts: clusters 1, 2, 3 in turn", served[i].cluster, 1 + (i - 8) % 3);
	}
}

/* The ring holds 16 packets of 4096 bytes. Two more wait in front of the cluster. */
static void l1_is_full(void)
{
	struct soc_context long_one = context(NULL, "busy_2010", NULL, 4096);
	unsigned at_home = 0;

	warm(&long_one);
	offer_message(0, 0, &long_one, 4096, 30);
	run();
	for (unsigned i = 0; i < served_count; i++)
		at_home += !served[i].cluster;
	expect("packets of 4096 bytes to the home", at_home, 18);
	expect("the next one goes to the next cluster", served[8].cluster, 1);
}

/* 84 long tasks use all capacity. Later packets are dispatched as capacity becomes free, one message after the other. */
static void all_are_full(void)
{
	struct soc_context long_one = context(NULL, "busy_1010", NULL, 64), empty = context(NULL, "empty", NULL, 64);
	unsigned first = 0;

	warm(&empty);
	warm(&long_one);
	offer_message(0, 0, &long_one, 64, 84);
	for (unsigned i = 0; i < 4; i++)
		offer_message(100 + 5 * i, 4 + i, &empty, 64, 5);
	run();
	expect("all are served", served_count, 104);
	for (unsigned i = 0; i < served_count; i++) {
		if (!served[i].message)
			continue;
		expect("none of the later ones runs before a place is free", served[i].started > 1010, 1);
		if (!first)
			first = served[i].message;
	}
	expect("the first of them", first, 4);
}

/* Headers of the same home start 2 cycles apart. The next message is selected one cycle ahead. */
static void one_home_in_turn(void)
{
	static const uint32_t order[] = { 32, 32, 32, 36, 32, 36, 40, 44 };
	struct soc_context all = context("busy_410", "busy_26", NULL, 64);

	warm(&all);
	for (unsigned i = 0; i < 24; i++)
		offer(i, 32 + 4 * (i % 4), &all, 64, i >= 20);
	run();
	for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		expect("messages of one home in turn", served[4 + i].message, order[i]);
}

/* Eight messages that are ready together must be served in turn. */
static void ready_together(void)
{
	struct soc_context all = context("busy_410", "busy_26", NULL, 64);
	unsigned turns = 0;

	warm(&all);
	for (unsigned k = 0; k < 8; k++)
		for (unsigned i = 0; i < 8; i++)
			offer(8 * k + i, 8 + i, &all, 64, k == 7);
	run();
	expect("all are served", served_count, 72);
	qsort(served, served_count, sizeof(served[0]), by_dispatch);
	/* the first ones are ahead by up to 3 packets */
	for (unsigned i = 20; i < 36; i++)
		turns += served[i].message == 8 + (served[i - 1].message - 8 + 1) % 8;
	expect("one packet of each in turn", turns, 16);
}

static void feedback_waits_for_commands(void)
{
	struct soc_context sends = context(NULL, "sends", NULL, 64);

	warm(&sends);
	offer(0, 0, &sends, 64, 1);
	run();
	/* issued 5 cycles before the doorbell: return 2, nop 1, load 2; 21 to the completion, 2 to the NIC */
	expect("feedback after the command", served[0].feedback - served[0].doorbell, 21 + 1 + 2 - 6);
}

static void hers_are_held_back(void)
{
	struct soc_context long_one = context(NULL, "busy_410", NULL, 64);
	struct soc_her her = { .message_id = 3, .l2 = L2_PACKET, .bytes = 64, .context = &long_one };
	unsigned taken = 0;

	warm(&long_one);
	room_count = 0;
	while (soc__takes_her(&rig.soc, 3) && taken < 1000) {
		her.end_of_message = ++taken == 129;
		if (soc__her(&rig.soc, base, &her))
			break;
	}
	expect("HERs of one message: shared cells and its own", taken, 129);
	expect("another message has a cell of its own", !!soc__takes_her(&rig.soc, 4), 1);
	run();
	expect("all are served", served_count, 129);
	expect("calls of on_room", room_count, 1);
}

int main(void)
{
	static const struct soc_nic nic = { .on_command = rig__on_command, .on_end = on_end, .on_freed = on_freed, .on_room = on_room };
	struct rig_file file = rig__build("scheduling_under_load", "tests/model/programs/load.S");

	rig__open(&rig, file, pspin_target__find("pspin-rtl"), 0, 0);
	rig.soc.nic = &nic;
	idle_path();
	stages_of_a_message();
	queued_payloads();
	several_messages();
	one_hpu_saturated();
	beyond_the_home();
	beyond_the_home_large(256);
	beyond_the_home_large(1024);
	l1_is_full();
	all_are_full();
	one_home_in_turn();
	ready_together();
	feedback_waits_for_commands();
	hers_are_held_back();
	rig__close(&rig);
	free(file.data);
	return failures != 0;
}
