/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Locks in L1 take no longer than PsPIN's library with gcc -O3 (calibration rows, pspin_load.md 7: try_lock 4, the
 * test included, lock 6, unlock 2-3, rw read-lock 11, read-unlock 7). Compared are pairs, as they were measured: four of
 * them one after the other, less the same function with none, against four times the sum of the two rows.
 */
#include "rig.h"

static const struct {
	const char *name;
	unsigned cycles;
} pairs[] = {
	{"rows_try_lock", 4 + 2},
	{"rows_lock", 6 + 2},
	{"rows_read_lock", 11 + 7},
	{"rows_write_lock", 11 + 7}, /* no row: as readers */
};

int main(void)
{
	struct rig_file file = rig__build("locks",
					  "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/model/handlers/locks.c\"'");
	struct rig rig;
	int failures = 0;

	rig__open(&rig, file, pspin_target__find("pspin-rtl"), 0, 0);
	for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		uint64_t cycles = rig__body(&rig, pairs[i].name) - rig__body(&rig, "rows_none");

		printf("%-16s four pairs take %2llu cycles, PsPIN's %u\n", pairs[i].name, (unsigned long long)cycles,
		       4 * pairs[i].cycles);
		if (cycles > 4 * pairs[i].cycles) {
			printf("FAIL %s: slower than PsPIN's library\n", pairs[i].name);
			failures++;
		}
	}
	rig__close(&rig);
	free(file.data);
	return failures != 0;
}
