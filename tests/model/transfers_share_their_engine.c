/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the DMA engine of a modelled cluster against PsPIN's RTL. It reads and writes whole lines, so an unaligned transfer has one or two
 * more. Packet copies queue after transfers that HPUs have launched before, and take longer if they cross a page. Transfers that wait in
 * one cluster's engine must not block packet memory for other clusters. Run by tests/run.
 */
#include "tests/model/common/rig.h"

#define TIMES  10 /* of each transfer */
#define LAUNCH 10 /* instructions before the first launch in leaves_transfers */

static int failures;
static struct soc_task tasks[3];
static unsigned task_count;
static uint32_t copied_bytes = 64;
static int third_packet; /* send a third packet of the same message, 90 cycles after the second one */

static void expect(const char *what, uint64_t have, uint64_t want)
{
	if (have == want)
		return;
	printf("FAIL %s: %llu cycles, not %llu\n", what, (unsigned long long)have, (unsigned long long)want);
	failures++;
}

static void on_end(void *arg, struct soc_task *task, int pops)
{
	(void)arg;
	(void)pops;
	if (task_count < 3)
		tasks[task_count++] = *task;
}

static void transfers_are_whole_lines(struct rig *rig)
{
	static const struct {
		const char *name, *aligned;
		unsigned more;
	} rows[] = {
		{ "both_off_1024", "aligned_1024", 1 },
		{ "source_off_1024", "aligned_1024", 1 }, /* the first written line needs two lines read */
		{ "dest_off_1024", "aligned_1024", 1 },
		{ "apart_1024", "aligned_1024", 2 }, /* 17 lines are written, after 2 are read */
		{ "across_lines_56", "in_a_line_56", 1 },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(rows[i].name, rig__body(rig, rows[i].name) - rig__body(rig, rows[i].aligned), rows[i].more * TIMES);
}

static void offer(struct rig *rig, uint64_t cycle, const struct soc_context *context, unsigned message, int is_last)
{
	struct soc_her her = { .l2 = L2_PACKET, .bytes = 1024, .message_id = message, .end_of_message = is_last, .context = context };

	if (soc__her(&rig->soc, cycle, &her)) {
		printf("FAIL a HER is refused\n");
		failures++;
	}
}

/*
 * Runs two packets on a warm machine, the second one 60 cycles after the first. Each is the only packet of its cluster's
 * message, or both belong to cluster 0's, followed by a third one if third_packet is set. On return `tasks` is in order of start times.
 */
static uint64_t run_two(struct rig *rig, const char *first, const char *second, unsigned of_cluster)
{
	static const struct soc_nic nic = { .on_command = rig__on_command, .on_end = on_end };
	struct soc_context contexts[2] = { { .bytes_in_l1 = copied_bytes, .scratchpad = L1_PACKETS + 0x10000 } };
	uint64_t base;

	contexts[1] = contexts[0];
	contexts[0].payload = rig__function(rig, first);
	contexts[1].payload = rig__function(rig, second);
	rig->soc.nic = &nic;
	for (unsigned warm = 0; warm < 2; warm++) {
		base = rig->soc.now + 1000;
		task_count = 0;
		offer(rig, base, &contexts[0], 0, of_cluster != 0);
		offer(rig, base + 60, &contexts[of_cluster != 0], of_cluster, !third_packet);
		if (third_packet)
			offer(rig, base + 150, &contexts[0], 0, 1);
		soc__run(&rig->soc, UINT64_MAX);
	}
	expect("tasks", task_count, 2 + (uint64_t)third_packet);
	if (tasks[0].started > tasks[1].started) {
		struct soc_task task = tasks[0];

		tasks[0] = tasks[1];
		tasks[1] = task;
	}
	return base;
}

/* The second packet arrives while transfers of the first one's HPU are in flight. */
static void copy_queues_after_transfers(struct rig *rig)
{
	run_two(rig, "leaves_transfers", "leaves_transfers", 0);
	/* from a copy's first beat to the start of the task: 13 */
	expect("start behind the transfers", tasks[1].started, tasks[0].first + LAUNCH + 4 * 32 + 13);
}

/* A handler launches a transfer while another packet's copy waits for its earlier transfers: the copy must go first. */
static void transfer_queues_after_copy(struct rig *rig)
{
	uint64_t body;

	run_two(rig, "launches_again_later", "launches_again_later", 0);
	body = tasks[0].returned - tasks[0].first;
	copied_bytes = 1024;
	run_two(rig, "launches_again_later", "launches_again_later", 0);
	copied_bytes = 64;
	expect("a transfer behind a copy of 16 beats, later than behind one of 1", tasks[0].returned - tasks[0].first - body, 15);
}

/*
 * Same with transfers from handler memory. The copy waits 5 cycles for the response to the transfers before it, the next transfer 2 for the
 * copy's (RTL: burst of kvstore), and another copy again 5 for that transfer's.
 */
static void memories_change(struct rig *rig)
{
	const uint64_t first_copy = LAUNCH + 8 * 16 + 5, transfer = first_copy + 1 + 2, second_copy = transfer + 16 + 5;

	third_packet = 1;
	run_two(rig, "reads_again_later", "reads_again_later", 0);
	third_packet = 0;
	expect("start behind transfers from handler memory", tasks[1].started, tasks[0].first + first_copy + 13);
	expect("start behind the transfer behind that copy", tasks[2].started, tasks[0].first + second_copy + 13);
}

/* Returns the cycles from HER to start for a packet of cluster 1, while cluster 0 runs `beside`. */
static uint64_t start_beside(struct rig *rig, const char *beside)
{
	uint64_t base = run_two(rig, beside, "does_nothing", 1);

	return tasks[1].started - base - 60;
}

/* Packets of a stream. The first ALONE are sent one at a time. */
#define ALONE  8u
#define STREAM 100u

static uint64_t stream_latency[ALONE + STREAM]; /* from HER to feedback, cycles */

static void on_stream_end(void *arg, struct soc_task *task, int pops)
{
	(void)arg;
	(void)pops;
	stream_latency[task->her->packet] = task->feedback - task->ready;
}

static const struct soc_nic stream_hooks = { .on_command = rig__on_command, .on_end = on_stream_end };

/*
 * Consecutive copies from L2 move one beat per cycle. Each 4-KiB page is a separate burst, and a short burst takes 3 cycles, so each
 * page crossing delays all later packets. The expected delay from the first packet to the last is from PsPIN's RTL.
 */
static void copies_touch_two_pages(struct rig_file file, uint32_t l2_offset, uint32_t bytes, unsigned rtl_later_cycles)
{
	const uint32_t beats = (l2_offset + bytes + 63) / 64;
	struct pspin_target target = *pspin_target__find("pspin-rtl");
	struct soc_context context = { .bytes_in_l1 = bytes };
	struct rig rig;
	uint64_t at;

	target.clusters = 1;
	rig__open(&rig, file, &target, 0, 0);
	rig.soc.nic = &stream_hooks;
	context.payload = rig__function(&rig, "does_nothing");
	at = rig.soc.now;
	for (unsigned i = 0; i < ALONE + STREAM; i++) {
		struct soc_her her = { .l2 = L2_PACKET + 64 * beats * i + l2_offset,
				       .bytes = bytes,
				       .packet = i,
				       .message_id = i,
				       .end_of_message = 1,
				       .context = &context };

		at += i < ALONE ? 1000 : beats;
		if (soc__her(&rig.soc, at, &her)) {
			printf("FAIL a HER is refused\n");
			failures++;
		}
	}
	soc__run(&rig.soc, UINT64_MAX);
	expect("the last of a stream of copies, later than the first", stream_latency[ALONE + STREAM - 1] - stream_latency[ALONE],
	       rtl_later_cycles);
	rig__close(&rig);
}

int main(void)
{
	struct rig_file file = rig__build("transfers_share_their_engine", "tests/model/programs/transfers.S");
	struct rig rig;

	rig__open(&rig, file, pspin_target__find("pspin-rtl"), 0, 0);
	transfers_are_whole_lines(&rig);
	copy_queues_after_transfers(&rig);
	transfer_queues_after_copy(&rig);
	memories_change(&rig);
	expect("start beside another cluster's transfers", start_beside(&rig, "reads_its_packet_later"),
	       start_beside(&rig, "leaves_transfers"));
	rig__close(&rig);
	copies_touch_two_pages(file, 50, 256, 11);
	copies_touch_two_pages(file, 0, 576, 7);
	copies_touch_two_pages(file, 0, 448, 11);
	free(file.data);
	return failures != 0;
}
