/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* No constant of a target is decoration: changing any one moves some result. */
#include "rig.h"

static const char *const functions[] = {
	"load_packet",	     "load_handler",	   "load_remote",    "store_packet",
	"store_handler",     "store_remote",	   "amo_packet",     "amo_handler",
	"amo_remote",	     "send_l1_1024",	   "send_l2_64",     "to_host_l1_64",
	"to_host_l2_64",     "from_host_64",	   "direct_8",	     "issues_24",
	"dma_packet_64",     "dma_packet_2048",	   "dma_handler_64", "dma_handler_1024",
	"dma_own_64",	     "dma_own_1024",	   "dma_remote_64",  "dma_remote_1024",
	"dma_to_handler_64", "dma_to_handler_512", "endless",
};
#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

struct results {
	uint64_t cycles[FUNCTIONS];
	double clock_ghz;
	unsigned runtime;
};

static void measure(struct rig_file file, const struct pspin_target *target, struct results *out)
{
	struct hpu_task_result result;
	struct rig rig;

	memset(out, 0, sizeof(*out));
	rig__open(&rig, file, target, 0, 0);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		rig__run(&rig, functions[i], &result);
		out->cycles[i] = result.stats.cycle;
	}
	out->clock_ghz = pspin_target__clock_ghz(target);
	out->runtime = pspin_target__runtime_cycles(target);
	rig__close(&rig);
}

int main(void)
{
	struct rig_file file = rig__build("constants", "tests/model/rows.S");
	const struct pspin_target *target = pspin_target__find("pspin-rtl");
	const size_t first = offsetof(struct pspin_target, clock_mhz);
	struct results before, after;
	int failures = 0;

	measure(file, target, &before);
	for (size_t off = first; off + sizeof(uint32_t) <= sizeof(*target);
	     off += sizeof(uint32_t)) {
		struct pspin_target changed = *target;
		uint32_t *value = (uint32_t *)((char *)&changed + off);

		*value = *value > 1000 ? *value / 2 : *value > 3 ? *value - 3 : 0;
		if (!memcmp(&changed, target, sizeof(changed)))
			continue; /* padding */
		measure(file, &changed, &after);
		if (!memcmp(&before, &after, sizeof(before))) {
			printf("FAIL the constant at offset %zu of struct pspin_target changes "
			       "nothing\n",
			       off);
			failures++;
		}
	}
	free(file.data);
	return failures != 0;
}
