/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The model must give HPU loads priority over packet copies, as PsPIN's RTL does: while packets of 1038 bytes are copied to a cluster
 * at the link's rate, its HPUs' loads take the same cycles as without copies (2628; RTL: 2629), and each load delays the copies by one
 * cycle, so that the stream ends 45 to 60 cycles later beside one HPU (RTL: 54), and 475 to 515 beside seven (RTL: 495). Run by tests/run.
 */
#include "tests/model/common/rig.h"

#define PACKETS      57u /* of handlers that do nothing */
#define BYTES        1038u
#define BEATS        17u
#define LOADS_CYCLES 2628u /* cycles of the loads; RTL: 2629 */

static struct rig rig;
static int failures, is_warm;
static unsigned loads;
static uint64_t last_feedback, her_to_feedback;

static void check(const char *what, uint64_t have, uint64_t low, uint64_t high)
{
	if (have >= low && have <= high)
		return;
	printf("FAIL %s: %llu, not %llu to %llu\n", what, (unsigned long long)have, (unsigned long long)low, (unsigned long long)high);
	failures++;
}

static void on_end(void *arg, struct soc_task *task, int pops)
{
	const uint64_t body = task->returned - task->first;

	(void)arg;
	(void)pops;
	if (!is_warm)
		return;
	if (body > 1000) {
		loads++;
		check("body of loads", body, LOADS_CYCLES, LOADS_CYCLES + 6);
	} else {
		her_to_feedback = task->feedback - task->ready;
		last_feedback = task->feedback;
	}
}

static const struct soc_nic hooks = {
	.on_start = rig__on_start,
	.on_command = rig__on_command,
	.on_end = on_end,
	.on_freed = rig__on_freed,
	.on_room = rig__on_room,
};

static void offer(uint64_t cycle, const struct soc_context *context, unsigned i, uint32_t bytes)
{
	struct soc_her her = {
		.bytes = bytes, .l2 = L2_PACKET + 2048 * i, .context = context, .packet = i, .message_id = i, .end_of_message = 1
	};

	if (soc__her(&rig.soc, cycle, &her)) {
		printf("FAIL a HER is refused\n");
		failures++;
	}
}

/* Returns the cycles from the first empty packet's HER to the last one's feedback, while `hpus` HPUs load. */
static uint64_t stream(unsigned hpus)
{
	struct soc_context busy = { .bytes_in_l1 = 64, .payload = rig__function(&rig, "loads") };
	struct soc_context empty = { .bytes_in_l1 = BYTES, .payload = rig__function(&rig, "empty") };
	uint64_t base;

	for (unsigned i = 0; i < hpus; i++)
		offer(rig.soc.now + 1000 + i, &busy, i, 64);
	base = rig.soc.now + 1000 + hpus + BEATS;
	for (unsigned i = 0; i < PACKETS; i++)
		offer(base + BEATS * i, &empty, hpus + i, BYTES);
	soc__run(&rig.soc, UINT64_MAX);
	return last_feedback - base;
}

int main(void)
{
	struct rig_file file = rig__build("copies_give_way", "tests/model/programs/copies_give_way.S");
	struct pspin_target target = *pspin_target__find("pspin-rtl");
	uint64_t alone;

	target.clusters = 1;
	rig__open(&rig, file, &target, 0, 0);
	rig.soc.nic = &hooks;
	stream(1);
	is_warm = 1;
	alone = stream(0);
	check("an empty packet alone", her_to_feedback, 43, 44);
	check("the stream beside one HPU's loads", stream(1) - alone, 45, 60);     /* RTL: 54 */
	check("the stream beside seven HPUs' loads", stream(7) - alone, 475, 515); /* RTL: 495 */
	check("HPUs that loaded", loads, 8, 8);
	rig__close(&rig);
	free(file.data);
	return failures != 0;
}
