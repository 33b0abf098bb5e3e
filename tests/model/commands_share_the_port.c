/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * NIC and host reach a cluster's L1 through one port, which moves a 64-byte beat a cycle, read or written: transfers from the host
 * and sends of one L1 take the sum of their beats, those of L2 do not. Cycles of 24 pairs of 1024 bytes. Run by tests/run.
 */
#include "rig.h"

#define PAIRS 24u
#define BEATS 16u /* of 1024 bytes */

static int failures;

static uint64_t body(struct rig *rig, const char *function)
{
	uint64_t cycles = rig__body(rig, function);

	printf("%s: %llu\n", function, (unsigned long long)cycles);
	return cycles;
}

static void check(const char *what, int is_right)
{
	if (is_right)
		return;
	printf("FAIL %s\n", what);
	failures++;
}

int main(void)
{
	struct rig_file file = rig__build("commands_share_the_port", "tests/model/commands_share_the_port.S");
	uint64_t both, sends, both_in_l2;
	struct rig rig;

	rig__open(&rig, file, pspin_target__find("pspin-rtl"), 0, 0);
	both = body(&rig, "both_in_l1");
	sends = body(&rig, "sends_in_l1");
	both_in_l2 = body(&rig, "both_in_l2");
	check("sends alone take their beats", sends > (PAIRS - 4) * BEATS && sends < (PAIRS + 2) * BEATS);
	check("the beats of both pass one after the other", both > (2 * PAIRS - 4) * BEATS && both < (2 * PAIRS + 2) * BEATS);
	check("L2 is read and written at once", both_in_l2 < (2 * PAIRS - 4) * BEATS);
	rig__close(&rig);
	free(file.data);
	return failures != 0;
}
