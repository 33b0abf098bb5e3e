/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the round-robin arbiters (PsPIN 3.2.2). HPUs that issue commands at the same time must take turns, within a cluster and among
 * clusters: if all have the same number of commands for a saturated engine, no HPU may finish long before the others. Clusters whose
 * tasks end in the same cycle must send their feedback (the end of a packet, as the NIC learns it) one after the other, starting with the
 * cluster after the last one that sent. Run by tests/run.
 */
#include "tests/model/common/rig.h"

#define CLUSTERS 4u

static struct rig rig;
static struct task_end {
	unsigned cluster;
	uint64_t doorbell, feedback;
} task_ends[CLUSTERS]; /* the first feedbacks, in order */
static int failures, is_warm;
static unsigned ends;
static uint64_t first_start, first_end, last_end;

static void check(int ok, const char *what)
{
	if (ok)
		return;
	printf("FAIL %s\n", what);
	failures++;
}

static void on_end(void *arg, struct soc_task *task, int pops)
{
	(void)arg;
	(void)pops;
	if (!is_warm)
		return;
	first_start = ends && first_start < task->started ? first_start : task->started;
	first_end = ends && first_end < task->returned ? first_end : task->returned;
	last_end = ends && last_end > task->returned ? last_end : task->returned;
	if (ends < CLUSTERS)
		task_ends[ends] = (struct task_end){ task->hpu->cluster, task->doorbell, task->feedback };
	ends++;
}

static const struct soc_nic hooks = {
	.on_start = rig__on_start,
	.on_command = rig__on_command,
	.on_end = on_end,
	.on_freed = rig__on_freed,
	.on_room = rig__on_room,
};

/* One message of `packets` packets per cluster; the home of message i is cluster i. */
static void run(const struct soc_context *context, unsigned packets)
{
	const uint64_t base = rig.soc.now + 1000;

	for (unsigned i = 0; i < packets; i++) {
		struct soc_her her = {
			.bytes = 64, .l2 = L2_PACKET + 64 * i, .context = context, .packet = i, .message_id = i, .end_of_message = 1
		};

		check(!soc__her(&rig.soc, base + i, &her), "a HER is taken");
	}
	soc__run(&rig.soc, UINT64_MAX);
}

static void check_hpus(struct rig_file file, unsigned clusters, unsigned each, const char *what)
{
	struct pspin_target target = *pspin_target__find("pspin-rtl");
	struct soc_context context = { .bytes_in_l1 = 64 };

	target.clusters = clusters;
	target.hpus = each;
	rig__open(&rig, file, &target, 0, 0);
	rig.soc.nic = &hooks;
	context.payload = rig__function(&rig, "sends");
	is_warm = 0;
	ends = 0;
	run(&context, clusters); /* loads the code into each cluster's cache */
	is_warm = 1;
	run(&context, clusters * each);
	check(ends == clusters * each, "all have ended");
	check(last_end - first_end < (last_end - first_start) / 4, what);
	rig__close(&rig);
}

/* Runs a single task in the given cluster. */
static void run_one(const struct soc_context *context, unsigned cluster)
{
	struct soc_her her = { .bytes = 64, .l2 = L2_PACKET, .context = context, .message_id = cluster, .end_of_message = 1 };

	check(!soc__her(&rig.soc, rig.soc.now + 1000, &her), "a HER is taken");
	soc__run(&rig.soc, UINT64_MAX);
}

/* Runs a task in each cluster. Each begins one cycle later than the one before, and is shorter by as much. */
static void all_at_once(const struct soc_context *context, unsigned last)
{
	const uint64_t base = rig.soc.now + 1000;

	ends = 0;
	for (unsigned i = 0; i < CLUSTERS; i++) {
		struct soc_her her = { .bytes = 64, .l2 = L2_PACKET, .context = &context[i], .message_id = i, .end_of_message = 1 };

		check(!soc__her(&rig.soc, base + i, &her), "a HER is taken");
	}
	soc__run(&rig.soc, UINT64_MAX);
	check(ends == CLUSTERS, "one task in each cluster");
	for (unsigned i = 0; i < CLUSTERS; i++) {
		check(task_ends[i].doorbell == task_ends[0].doorbell, "they end in one cycle");
		check(task_ends[i].cluster == (last + 1 + i) % CLUSTERS, "feedback in turn");
		check(task_ends[i].feedback == task_ends[0].feedback + i, "one each cycle");
	}
}

static void check_feedback(struct rig_file file)
{
	struct pspin_target target = *pspin_target__find("pspin-rtl");
	struct soc_context context[CLUSTERS] = { 0 };
	char name[8];

	rig__open(&rig, file, &target, 0, 0);
	rig.soc.nic = &hooks;
	is_warm = 1;
	for (unsigned i = 0; i < CLUSTERS; i++) {
		snprintf(name, sizeof(name), "body_%u", i);
		context[i] = (struct soc_context){ .bytes_in_l1 = 64, .payload = rig__function(&rig, name) };
	}
	for (unsigned i = 0; i < CLUSTERS; i++) /* loads the code into each cluster's cache */
		run_one(&context[i], i);
	for (unsigned last = 0; last < CLUSTERS; last++) {
		run_one(&context[last], last);
		all_at_once(context, last);
	}
	rig__close(&rig);
}

int main(void)
{
	struct rig_file file = rig__build("arbiters_take_turns", "tests/model/programs/arbiters_take_turns.S");

	check_hpus(file, 1, 8, "the HPUs of a cluster take turns");
	check_hpus(file, CLUSTERS, 1, "clusters take turns");
	check_feedback(file);
	free(file.data);
	return failures != 0;
}
