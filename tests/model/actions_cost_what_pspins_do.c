/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compares the cost of commands and locks in our handler API with those of PsPIN's library, as measured on its RTL (calibration rows). The
 * issue of a command may cost at most its row, and a wait right after it exactly its row. Four pairs of lock and unlock may cost at most
 * four pairs of the rows with GUARD_CYCLES each. Run by tests/run. calibration_rows.c compares the model's own timing of the accesses with
 * the RTL.
 *
 * The cost of the same function of handlers/rows.c without the command or the pairs is subtracted. Commands (hwmodel/README.md, "Commands")
 * have their arguments in registers. PsPIN's locks in L1, with gcc -O3: try_lock 4, including the test, lock 6, unlock 2-3, rw read-lock
 * 11, read-unlock 7. HPUs of another cluster cannot take them, because AMOs do not return the old value to those. Ours can be taken by any
 * HPU, for which they enter a guard (<spin/target/rv32_atomic.h>): GUARD_CYCLES.
 */
#include "tests/model/common/rig.h"

/* Cycles of PsPIN's library: of the issue of a command, and from the issue to its completion. */
static const struct {
	const char *name;
	unsigned issue, completion;
} commands[] = {
	{ "send_l1", 11, 5 + 1 },     { "send_l2", 11, 7 + 1 },       { "to_host_l1", 10, 18 + 1 },
	{ "to_host_l2", 10, 20 + 1 }, { "from_host_l1", 11, 19 + 1 }, { "write_8", 14, 6 },
};

static const struct {
	const char *name;
	unsigned cycles;
} pairs[] = {
	{ "try_lock", 4 + 2 },
	{ "lock", 6 + 2 },
	{ "read_lock", 11 + 7 },
	{ "write_lock", 11 + 7 }, /* no row of its own: same as readers */
};

#define GUARD_CYCLES 27u

static int failures;

static unsigned cycles_of(struct rig *rig, const char *name, const char *less)
{
	char function[64], base[64];

	snprintf(function, sizeof(function), "rows_%s", name);
	snprintf(base, sizeof(base), "rows_%s", less);
	return (unsigned)(rig__body(rig, function) - rig__body(rig, base));
}

static void check_command(struct rig *rig, unsigned i)
{
	char waited[64];
	unsigned issue, completion;

	snprintf(waited, sizeof(waited), "%s_wait", commands[i].name);
	issue = cycles_of(rig, commands[i].name, "arguments");
	completion = cycles_of(rig, waited, commands[i].name);
	printf("%-13s issued in %2u cycles, PsPIN's %2u; done %2u later, PsPIN's %2u\n", commands[i].name, issue, commands[i].issue,
	       completion, commands[i].completion);
	if (issue > commands[i].issue || completion != commands[i].completion) {
		printf("FAIL %s: not as PsPIN's\n", commands[i].name);
		failures++;
	}
}

static void check_pair(struct rig *rig, unsigned i)
{
	unsigned cycles = cycles_of(rig, pairs[i].name, "none");

	printf("%-13s four pairs take %2u cycles, PsPIN's %2u\n", pairs[i].name, cycles, 4 * pairs[i].cycles);
	if (cycles > 4 * (pairs[i].cycles + GUARD_CYCLES)) {
		printf("FAIL %s: slower than PsPIN's library and a guard\n", pairs[i].name);
		failures++;
	}
}

int main(void)
{
	struct rig_file file = rig__build("rows", "hwmodel/image/entry.c -DSPIN_HANDLER_FILE='\"tests/model/handlers/rows.c\"'");
	struct rig rig;

	rig__open(&rig, file, pspin_target__find("pspin-rtl"), 0, 0);
	rig__clear(&rig, 0x10090000, 64); /* the locks */
	for (unsigned i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		check_command(&rig, i);
	for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		check_pair(&rig, i);
	rig__close(&rig);
	free(file.data);
	return failures != 0;
}
