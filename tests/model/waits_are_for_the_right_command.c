/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests a handler's wait for a command in the NIC model: when it returns, that command must be complete. The driver returns another
 * command's id if the issue has to stall, because the commands of the previous task are still in flight or all slots are taken (RTL:
 * hpu_driver.sv, cmd_frontend): the library must not wait for that one instead. Run by tests/run.
 */
#include "tests/model/handlers/waits.h"
#include "tests/model/common/packet.h"
#include "tests/model/common/rig.h"

#define PACKETS 24u

struct watched {
	struct hpu *hpu;
	uint32_t done; /* address of the word in which the handler reports what is done */
	unsigned waits, wrong;
};

static void watch(void *arg, const struct rv32_bus_request *req)
{
	struct watched *w = arg;

	if (req->kind != RV32_STORE || req->addr != w->done)
		return;
	w->waits++;
	for (unsigned i = 0; i < HPU_COMMAND_SLOTS_MAX; i++) {
		const struct hpu_command *command = &w->hpu->commands[i];

		w->wrong += command->task == w->hpu->running && command->number == req->value && command->done > req->cycle;
	}
}

static struct pspin *open_nic(struct rig_file file, const struct pspin_target *target)
{
	struct spin_meta meta = { .magic = SPIN_META_MAGIC, .api_version = SPIN_API_VERSION, .registration = { .payload = 1 } };
	const struct spin_segment all = { 0, 4096 };
	const struct pspin_limits limits = { .host_bytes = 1 << 20, .handler_mem = &all, .handler_segments = 1 };
	struct spin_rule any = { 0 };
	struct pspin *nic;
	char err[128];

	if (!pspin__open(&nic, target, &meta, file.data, file.bytes, &any, err, sizeof(err)) && !pspin__limit(nic, &limits))
		return nic;
	printf("FAIL open: %s\n", err);
	exit(1);
}

static int run(struct rig_file file, unsigned slots, uint64_t latency_ps)
{
	struct pspin_target target = *pspin_target__find("pspin-rtl");
	struct watched w = { 0 };
	struct pspin *nic;
	uint32_t payload = 0;
	uint8_t frame[128];

	target.clusters = target.hpus = 1; /* tasks run one after the other */
	target.command_slots = slots;
	target.pcie_latency_ps = latency_ps;
	nic = open_nic(file, &target);
	if (pspin__symbol(nic, "spin_state", &w.done, NULL))
		return 1;
	w.hpu = &nic->device->soc.hpus[0];
	w.hpu->watch = watch;
	w.hpu->watch_arg = &w;
	for (unsigned i = 0; i < PACKETS; i++) {
		struct pspin_offer offer = { .frame = frame, .at_ps = 1000000 * (i / 4) };

		offer.frame_bytes = (uint32_t)packet__make(frame, 0x0100000a + i, &payload, sizeof(payload));
		if (pspin__offer(nic, &offer))
			return 1;
	}
	if (pspin__run(nic, UINT64_MAX))
		return 1;
	pspin__close(nic);
	if (w.waits == PACKETS * WAITS_SAID && !w.wrong)
		return 0;
	printf("FAIL %u slots, host %llu ns away: %u commands are waited for, not %u, %u of them are under way\n", slots,
	       (unsigned long long)(latency_ps / 1000), w.waits, PACKETS * WAITS_SAID, w.wrong);
	return 1;
}

int main(void)
{
	struct rig_file file = rig__build("waits", "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/model/handlers/waits.c\"'");
	int failures = 0;

	for (unsigned slots = 4; slots <= 8; slots += 4) {
		failures += run(file, slots, 0);
		failures += run(file, slots, 500000);
	}
	free(file.data);
	return failures != 0;
}
