/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests non-blocking atomic operations on host memory, half a microsecond away. The HPU (core that runs handlers) must continue while one
 * is in flight: it waits for at most 500 cycles if there is work in between, for a blocking one for at least 980. When HPUs contend for a
 * word, each of 1024 additions must be done once and return a different value, even if the handlers take a lock of their own in between.
 * Run by tests/run.
 */
#include "tests/model/handlers/atomics_nb.h"
#include "tests/model/common/packet.h"
#include "tests/model/common/rig.h"

#define HOST_CYCLES 500u /* at 1 GHz */

static int failures;

static void expect(const char *what, uint64_t have, uint64_t want)
{
	if (have == want)
		return;
	printf("FAIL %s: %llu, expected %llu\n", what, (unsigned long long)have, (unsigned long long)want);
	failures++;
}

static struct pspin *open_nic(struct rig_file file)
{
	struct spin_meta meta = { .magic = SPIN_META_MAGIC, .api_version = SPIN_API_VERSION, .registration = { .payload = 1 } };
	struct pspin_target target = *pspin_target__find("pspin-rtl");
	const struct spin_segment all = { 0, 4096 };
	const struct pspin_limits limits = { .host_bytes = 1 << 20, .handler_mem = &all, .handler_segments = 1 };
	struct spin_rule any = { 0 };
	struct pspin *nic;
	char err[128];

	target.pcie_latency_ps = HOST_CYCLES * 1000;
	if (!pspin__open(&nic, &target, &meta, file.data, file.bytes, &any, err, sizeof(err)) && !pspin__limit(nic, &limits))
		return nic;
	printf("FAIL open: %s\n", err);
	exit(1);
}

/* Returns the cycles that a packet's handler waits for its commands. */
static uint64_t wait_cycles(struct pspin *nic, uint32_t how)
{
	struct pspin_result result;
	uint8_t frame[128];

	if (!pspin__packet(nic, frame, packet__make(frame, 0x0100000a, &how, sizeof(how)), &result) && result.task_count == 1 &&
	    !result.tasks[0].error && result.tasks[0].host_reads == 1 && result.tasks[0].host_writes == 1)
		return result.tasks[0].cycles[RV32_CYC_COMMAND];
	printf("FAIL packet of kind %u\n", how);
	failures++;
	return 0;
}

static void hpu_continues(struct rig_file file)
{
	struct pspin *nic = open_nic(file);
	uint64_t blocking = wait_cycles(nic, ATOMICS_BLOCKING), overlap = wait_cycles(nic, ATOMICS_OVERLAP), word = 0;

	printf("an addition to host memory waits for %llu cycles, one with work in between for %llu\n", (unsigned long long)blocking,
	       (unsigned long long)overlap);
	/* the write is waited for in both cases; the read completes before the work does */
	if (blocking < 2 * HOST_CYCLES - 20 || overlap > HOST_CYCLES) {
		printf("FAIL the HPU waits while an atomic operation is under way\n");
		failures++;
	}
	pspin__host_read(nic, 0, &word, sizeof(word));
	expect("additions", word, 2);
	pspin__close(nic);
}

/* No handler waits for the addition, but its result must be in the state. */
static void result_is_in_state(struct rig_file file)
{
	struct pspin *nic = open_nic(file);
	uint64_t left = 0;
	uint32_t at = 0;

	for (unsigned i = 0; i < 3; i++)
		wait_cycles(nic, ATOMICS_NO_WAIT_STATE);
	if (pspin__symbol(nic, "spin_state", &at, NULL) || pspin__read(nic, at + offsetof(struct atomics_nb, left), &left, sizeof(left))) {
		printf("FAIL no memory\n");
		failures++;
	}
	expect("what the last addition found", left, 2);
	pspin__close(nic);
}

/* Sends all kinds of packet in rotation to all HPUs at once. */
static void hpus_contend(struct rig_file file)
{
	static const uint32_t kinds[] = { ATOMICS_BLOCKING, ATOMICS_OVERLAP, ATOMICS_LOCKED, ATOMICS_CAS };
	struct pspin *nic = open_nic(file);
	struct atomics_nb state;
	uint64_t word[3] = { 0 };
	uint32_t at = 0, left = ATOMICS_NO_WAIT;
	unsigned missing = 0;
	uint8_t frame[128];

	for (unsigned i = 0; i < ATOMICS_PACKETS + ATOMICS_PACKETS / 4; i++) {
		const uint32_t *kind = i < ATOMICS_PACKETS ? &kinds[i % 4] : &left;
		struct pspin_offer offer = { .frame = frame, .at_ps = 1000 * i };

		offer.frame_bytes = (uint32_t)packet__make(frame, 0x0100000a + (i << 8), kind, sizeof(*kind));
		if (pspin__offer(nic, &offer)) {
			printf("FAIL offer %u\n", i);
			failures++;
		}
	}
	expect("runs to the end", (uint64_t)pspin__run(nic, UINT64_MAX), 0);
	if (pspin__symbol(nic, "spin_state", &at, NULL) || pspin__read(nic, at, &state, sizeof(state)) ||
	    pspin__host_read(nic, 0, word, sizeof(word))) {
		printf("FAIL no memory\n");
		failures++;
		return;
	}
	for (unsigned i = 0; i < ATOMICS_PACKETS; i++)
		missing += !state.taken[i];
	expect("additions", word[0], ATOMICS_PACKETS);
	expect("additions with the lock held", word[1], ATOMICS_PACKETS / 4);
	expect("additions that nobody waited for", word[2], ATOMICS_PACKETS / 4);
	expect("times locked", state.locked, ATOMICS_PACKETS / 4);
	expect("tickets told twice", state.twice, 0);
	expect("tickets never told", missing, 0);
	pspin__close(nic);
}

int main(void)
{
	struct rig_file file =
		rig__build("atomics_nb", "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/model/handlers/atomics_nb.c\"'");

	hpu_continues(file);
	result_is_in_state(file);
	hpus_contend(file);
	free(file.data);
	return failures != 0;
}
