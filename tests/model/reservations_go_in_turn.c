/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests LR and SC (RISC-V's load-reserved and store-conditional) in the NIC model: eight HPUs of a cluster that increment one word of
 * handler memory by them must finish one after the other, with the cycles and attempts of PsPIN's RTL: the first HPU succeeds each time,
 * because a refused SC returns two cycles earlier than a successful one. Run by tests/run.
 */
#include "tests/model/common/rig.h"

#define HPUS  8u
#define TRIES 16u

/* Bodies as measured on the RTL, minus the instruction that returns the count, which the measured code did not have. */
static const uint64_t bodies[HPUS] = { 819, 1635, 2451, 3267, 4083, 4899, 5715, 6530 };

static struct rig rig;
static int failures, is_warm;
static unsigned ends;

static void expect(const char *what, uint64_t have, uint64_t want)
{
	if (have == want)
		return;
	printf("FAIL HPU %u, %s: %llu, on the RTL %llu\n", ends, what, (unsigned long long)have, (unsigned long long)want);
	failures++;
}

static void on_end(void *arg, struct soc_task *task, int pops)
{
	(void)arg;
	(void)pops;
	if (!is_warm)
		return;
	expect("tries", task->result.value, (uint64_t)TRIES * (ends + 1));
	expect("body", task->returned - task->first, bodies[ends]);
	ends++;
}

static const struct soc_nic hooks = {
	.on_start = rig__on_start,
	.on_command = rig__on_command,
	.on_end = on_end,
	.on_freed = rig__on_freed,
	.on_room = rig__on_room,
};

static void run(const struct soc_context *context, unsigned packets)
{
	const uint64_t base = rig.soc.now + 1000;

	for (unsigned i = 0; i < packets; i++) {
		struct soc_her her = {
			.bytes = 64, .l2 = L2_PACKET + 64 * i, .context = context, .packet = i, .message_id = i, .end_of_message = 1
		};

		if (soc__her(&rig.soc, base + i, &her))
			printf("FAIL a HER is refused\n"), failures++;
	}
	soc__run(&rig.soc, UINT64_MAX);
}

int main(void)
{
	struct rig_file file = rig__build("reservations_go_in_turn", "tests/model/programs/reservations_go_in_turn.S");
	struct pspin_target target = *pspin_target__find("pspin-rtl");
	struct soc_context context = { .bytes_in_l1 = 64, .handler_mem = 0x1c300000 };

	target.clusters = 1;
	rig__open(&rig, file, &target, 0, 0);
	expect("two SCs refused in handler memory", rig__body(&rig, "refused_in_handler_memory"), 2 * 19 + 2);
	expect("two SCs refused in packet memory", rig__body(&rig, "refused_in_packet_memory"), 2 * 21 + 2);
	rig.soc.nic = &hooks;
	context.payload = rig__function(&rig, "increments");
	run(&context, 1);
	is_warm = 1;
	run(&context, HPUS);
	expect("HPUs", ends, HPUS);
	rig__close(&rig);
	free(file.data);
	return failures != 0;
}
