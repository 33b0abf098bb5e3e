/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the port through which NIC and host access a modelled cluster's L1, which moves one 64-byte beat per cycle in either direction.
 * Transfers from the host and sends from the same L1 must take the sum of their beats; transfers in L2 must overlap. HPUs must wait for
 * banks that the port uses. A transfer from the host that crosses a page is written in two bursts, each of at least two cycles (RTL:
 * copy_from_host). Measures 24 pairs of 1024 bytes, and 24 transfers of 8 and 9 lines. Run by tests/run.
 */
#include "tests/model/common/rig.h"

#define PAIRS  24u
#define BEATS  16u /* for 1024 bytes */
#define GROUPS 4u  /* of banks: a beat uses one group */

static int failures;

static void check(const char *what, int is_right)
{
	if (is_right)
		return;
	printf("FAIL %s\n", what);
	failures++;
}

int main(void)
{
	struct rig_file file = rig__build("commands_share_the_port", "tests/model/programs/commands_share_the_port.S");
	uint64_t both, sends, both_in_l2, apart, waits, page;
	struct rig rig;

	rig__open(&rig, file, pspin_target__find("pspin-rtl"), 0, 0);
	both = rig__body(&rig, "both_in_l1");
	sends = rig__body(&rig, "sends_in_l1");
	both_in_l2 = rig__body(&rig, "both_in_l2");
	check("sends alone take their beats", sends > (PAIRS - 4) * BEATS && sends < (PAIRS + 2) * BEATS);
	check("the beats of both pass one after the other", both > (2 * PAIRS - 4) * BEATS && both < (2 * PAIRS + 2) * BEATS);
	check("L2 is read and written at once", both_in_l2 < (2 * PAIRS - 4) * BEATS);
	apart = rig__body(&rig, "apart_to_host"); /* PsPIN's copy_to_host, 512 bytes: 9.35 cycles a packet, 9 lines */
	check("the beat that is read before the first is written passes beside others", apart < PAIRS * 8 + 16);
	waits = rig__body(&rig, "loads_amid_sends_of_l1") - rig__body(&rig, "loads_amid_sends_of_l2");
	check("an HPU waits for the banks that beats take", waits >= 2 * BEATS / GROUPS && waits <= 3 * BEATS / GROUPS);
	page = rig__body(&rig, "reads_in_a_page");
	check("two lines before or behind a page cost nothing", rig__body(&rig, "reads_7_and_2") == page);
	/* the last four are in flight when the handler returns */
	check("a line before a page takes two cycles", rig__body(&rig, "reads_1_and_8") - page == PAIRS - 4);
	check("a line behind a page keeps the next transfer", rig__body(&rig, "reads_8_and_1") - page == PAIRS - 5);
	rig__close(&rig);
	free(file.data);
	return failures != 0;
}
