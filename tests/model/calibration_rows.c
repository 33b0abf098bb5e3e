/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Checks the NIC model against every value measured on PsPIN's RTL with one HPU (a core of the NIC) of an idle machine (calibration rows),
 * to the cycle, or as exactly as the polls of the measurement allow. On other targets (modelled NICs) an L2 access must take as long as the
 * target's parameter says. Run by tests/run; `make accuracy` has all rows.
 */
#include "tests/model/common/rig.h"

/* Cycles per repetition, of eight: function minus function_base. */
static const struct {
	const char *name;
	unsigned cycles;
} repeated[] = {
	{ "load_l1", 1 },       { "load_packet", 20 },       { "load_handler", 21 },       { "load_remote", 22 },
	{ "load_use_l1", 3 },   { "load_use_packet", 22 },   { "load_use_handler", 23 },   { "load_use_remote", 24 },
	{ "store_l1", 1 },      { "store_packet", 21 },      { "store_handler", 21 },      { "store_remote", 23 },
	{ "store_adds_l1", 5 }, { "store_adds_packet", 25 }, { "store_adds_handler", 25 }, { "store_adds_remote", 27 },
	{ "amo_l1", 2 },        { "amo_packet", 22 },        { "amo_handler", 27 },        { "amo_remote", 24 },
	{ "amo_use_l1", 3 },    { "amo_use_packet", 24 },    { "amo_use_handler", 29 },    { "amo_use_remote", 26 },
	{ "lrsc_packet", 41 },  { "lrsc_handler", 42 },      { "driver_load", 1 },         { "driver_store", 1 },
	{ "chase_l1", 2 },      { "chase_packet", 21 },      { "chase_handler", 22 },      { "chase_remote", 23 },
	{ "loop_l1", 6 },       { "loop_packet", 25 },
};

/* A command followed by its wait: the wait takes the row's "completion after issue". */
static const struct {
	const char *name;
	unsigned cycles;
} waits[] = {
	{ "send_l1_64", 5 + 1 },     { "send_l1_1024", 5 + 16 },     { "send_l2_64", 7 + 1 },     { "send_l2_1024", 7 + 16 },
	{ "to_host_l1_64", 18 + 1 }, { "to_host_l1_1024", 18 + 16 }, { "to_host_l2_64", 20 + 1 }, { "to_host_l2_1024", 20 + 16 },
	{ "from_host_64", 19 + 1 },  { "from_host_1024", 19 + 16 },  { "direct_8", 6 },
};

/* Total of issue and wait by polling. `off` is the uncertainty that a poll interval of 5 leaves in the measured value. */
static const struct {
	const char *name;
	unsigned cycles, off;
} copies[] = {
	{ "dma_packet_64", 21, 0 },       { "dma_packet_256", 26, 0 },     { "dma_packet_512", 31, 0 },
	{ "dma_packet_1024", 36, 0 },     { "dma_packet_2048", 54, 2 },    { "dma_handler_64", 26, 0 },
	{ "dma_handler_256", 26, 0 },     { "dma_handler_512", 31, 0 },    { "dma_handler_1024", 41, 0 },
	{ "dma_handler_2048", 57, 1 },    { "dma_own_64", 23, 0 },         { "dma_own_256", 28, 0 },
	{ "dma_own_512", 33, 0 },         { "dma_own_1024", 48, 0 },       { "dma_own_2048", 84, 1 },
	{ "dma_remote_64", 21, 0 },       { "dma_remote_256", 26, 0 },     { "dma_remote_512", 26, 0 },
	{ "dma_remote_1024", 36, 0 },     { "dma_remote_2048", 51, 0 },    { "dma_to_handler_64", 21, 0 },
	{ "dma_to_handler_256", 26, 0 },  { "dma_to_handler_512", 31, 0 }, { "dma_to_handler_1024", 36, 0 },
	{ "dma_to_handler_2048", 56, 0 },
};

static int failures, skipped;

static void expect(const char *what, uint64_t have, uint64_t want, uint64_t off)
{
	if (have + off >= want && have <= want + off)
		return;
	printf("FAIL %s: %llu cycles, measured on the RTL %llu\n", what, (unsigned long long)have, (unsigned long long)want);
	failures++;
}

static uint64_t base(struct rig *rig, const char *name)
{
	char function[64];

	snprintf(function, sizeof(function), "%s_base", name);
	return rig__body(rig, function);
}

static uint64_t copy_start(struct rig *rig, const char *name)
{
	char timed[64];
	uint32_t from, to;

	snprintf(timed, sizeof(timed), "%s_timed", name);
	if (hw_elf__symbol(rig->elf, name, &from, NULL) || hw_elf__symbol(rig->elf, timed, &to, NULL))
		return 0;
	return (to - from) / 4; /* instructions of one cycle each, including padding */
}

static void whole_handlers(struct rig *rig)
{
	static const struct {
		const char *name;
		unsigned cycles, instructions;
	} rows[] = {
		{ "pspin_empty", 2, 1 },
		{ "pspin_counter", 10, 9 },
		{ "pspin_ping_pong", 28, 26 },
	};
	struct hpu_task_result empty, result;
	/* the compiler of the measured code's baselines; others may generate other code */
	int measured = !system("test $(" RIG_GCC " -dumpversion | cut -d. -f1) = 12");

	rig__run(rig, "pspin_empty", &empty);
	expect("start to start, empty handler", empty.stats.cycle, 2 + 9, 0);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		rig__run(rig, rows[i].name, &result);
		if (!measured && (result.stats.cycle - 9 != rows[i].cycles ||
				  result.stats.instructions - empty.stats.instructions + 1 != rows[i].instructions)) {
			printf("skip: %s: this compiler's code is not the measured handler's\n", rows[i].name);
			skipped = 1;
			continue;
		}
		expect(rows[i].name, result.stats.cycle - 9, rows[i].cycles, 0);
		if (result.stats.instructions - empty.stats.instructions + 1 != rows[i].instructions) {
			printf("FAIL %s: not the measured handler's %u instructions\n", rows[i].name, rows[i].instructions);
			failures++;
		}
	}
}

/* The latency of an L2 access on another target must equal the target's parameter. */
static void other_latencies(struct rig_file file, const char *target)
{
	static const struct {
		const char *name, *parameter;
	} rows[] = {
		{ "load_packet", "load_l2_packet" },     { "load_handler", "load_l2_handler" }, { "store_packet", "store_l2_packet" },
		{ "store_handler", "store_l2_handler" }, { "amo_packet", "amo_l2_packet" },     { "amo_handler", "amo_l2_handler" },
	};
	struct rig rig;

	rig__open(&rig, file, pspin_target__find(target), 0, 0);
	rig__body(&rig, "load_packet"); /* the first one starts the machine */
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t want = 0, have = rig__body(&rig, rows[i].name) - base(&rig, rows[i].name);

		pspin_target__get(&rig.target, rows[i].parameter, &want);
		if (have >= 8 * want && have <= 8 * want + 1)
			continue;
		printf("FAIL %s, eight of %s: %llu cycles, not %llu each\n", target, rows[i].name, (unsigned long long)have,
		       (unsigned long long)want);
		failures++;
	}
	rig__close(&rig);
}

int main(void)
{
	struct rig_file file = rig__build("calibration_rows", "tests/model/programs/rows.S tests/model/baselines/examples.c "
							      "-fno-unroll-loops"); /* flags of the measured handlers */
	struct rig rig;

	rig__open(&rig, file, pspin_target__find("pspin-rtl"), 0, 0);
	whole_handlers(&rig);
	for (unsigned i = 0; i < sizeof(repeated) / sizeof(repeated[0]); i++)
		expect(repeated[i].name, rig__body(&rig, repeated[i].name) - base(&rig, repeated[i].name), repeated[i].cycles * 8, 1);
	for (unsigned i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		expect(waits[i].name, rig__body(&rig, waits[i].name) - base(&rig, waits[i].name), waits[i].cycles, 0);
	for (unsigned i = 0; i < sizeof(copies) / sizeof(copies[0]); i++)
		expect(copies[i].name, rig__body(&rig, copies[i].name) - copy_start(&rig, copies[i].name) - 3, copies[i].cycles,
		       copies[i].off);
	/* sends_8: with seven accesses per send the four slots never fill. issues_24: issues alone fill them. */
	expect("sends_8", rig__body(&rig, "sends_8") - 3 - 6, 8 * 7, 1);
	expect("issues_24", (rig__body(&rig, "issues_24") - 3 - 6 - 7 + 12) / 24, 2, 0);
	rig__close(&rig);
	other_latencies(file, "spin-discrete");
	other_latencies(file, "spin-integrated");
	free(file.data);
	return failures ? 1 : skipped ? 77 : 0;
}
