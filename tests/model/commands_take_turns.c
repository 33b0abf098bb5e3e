/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * HPUs that issue commands at the same time take turns (PsPIN 3.2.2, round-robin arbiters), those of a cluster and the clusters:
 * of HPUs that have as many commands for an engine that is too slow for all, none ends before the others are about to end, too.
 * Run by tests/run.
 */
#include "rig.h"

static struct rig rig;
static int failures, is_warm;
static unsigned ends;
static uint64_t began, first_end, last_end;

static void check(int ok, const char *what)
{
	if (ok)
		return;
	printf("FAIL %s\n", what);
	failures++;
}

static void ended(void *arg, struct soc_task *task, int pops)
{
	(void)arg;
	(void)pops;
	if (!is_warm)
		return;
	began = ends && began < task->started ? began : task->started;
	first_end = ends && first_end < task->returned ? first_end : task->returned;
	last_end = ends && last_end > task->returned ? last_end : task->returned;
	ends++;
}

static const struct soc_nic hooks = {
	.starts = rig__starts, .command = rig__accept, .ended = ended, .freed = rig__freed, .room = rig__room,
};

/* A message of one packet for each: message i is at home in cluster i. */
static void run(const struct soc_context *context, unsigned packets)
{
	const uint64_t base = rig.soc.now + 1000;

	for (unsigned i = 0; i < packets; i++) {
		struct soc_her her = { .bytes = 64, .l2 = L2_PACKET + 64 * i, .context = context, .packet = i, .message_id = i,
				       .end_of_message = 1 };

		check(!soc__her(&rig.soc, base + i, &her), "a HER is taken");
	}
	soc__run(&rig.soc, UINT64_MAX);
}

static void hpus(struct rig_file file, unsigned clusters, unsigned each, const char *what)
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
	run(&context, clusters); /* the code is in each cluster's cache */
	is_warm = 1;
	run(&context, clusters * each);
	check(ends == clusters * each, "all have ended");
	check(last_end - first_end < (last_end - began) / 4, what);
	rig__close(&rig);
}

int main(void)
{
	struct rig_file file = rig__build("commands_take_turns", "tests/model/commands_take_turns.S");

	hpus(file, 1, 8, "the HPUs of a cluster take turns");
	hpus(file, 4, 1, "clusters take turns");
	free(file.data);
	return failures != 0;
}
