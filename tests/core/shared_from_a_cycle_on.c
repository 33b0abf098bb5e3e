/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Test of rv32_core__share(core, cycle), by which the NIC model makes a modelled core ask the bus before it uses memory that others share.
 * The first request must come at most RV32_SHARE_EARLY cycles before the given cycle, and at most 40 cycles after it, because the loop
 * accesses memory that often. A core that shares nothing must ask for nothing. The run must take the same cycles in all cases. Run by
 * tests/run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <hwmodel/rv32.h>

enum { CODE = 0x10000, DATA = 0x20000, DATA_BYTES = 0x1000, LOAD_EVERY = 40 };

/* a0: DATA, a2: iterations. Divisions by 1 take 34 cycles, which makes blocks long. */
static const uint32_t loop[] = {
	0x00100593, /* li a1,1 */
	0x00052383, /* 1: lw t2,0(a0) */
	0x02b3d3b3, /* divu t2,t2,a1 */
	0x00050303, /* lb t1,0(a0) */
	0x00752023, /* sw t2,0(a0) */
	0xfff60613, /* addi a2,a2,-1 */
	0xfe0616e3, /* bnez a2,1b */
	0x00100073, /* ebreak */
};

struct seen {
	uint64_t first, last, count;
};

static enum rv32_bus_status bus(void *arg, struct rv32_bus_request *req)
{
	struct seen *seen = arg;

	if (!req->in_window)
		return RV32_BUS_FAULT;
	if (!seen->count++)
		seen->first = req->cycle;
	seen->last = req->cycle;
	return RV32_BUS_OK;
}

/* Returns the cycles of 1000 iterations. */
static uint64_t run(uint64_t share_from, struct seen *seen)
{
	static uint8_t data[DATA_BYTES];
	struct rv32_config config = {
		.bus = { .arg = seen, .access = bus },
		.window_count = 2,
		.windows = { { CODE, sizeof(loop), (uint8_t *)(uintptr_t)loop, RV32_WINDOW_CODE | RV32_WINDOW_READONLY },
			     { DATA, DATA_BYTES, data, RV32_WINDOW_DATA | RV32_WINDOW_TIMED } },
	};
	struct rv32_core *core = rv32_core__new(&config);
	uint64_t cycles;

	*seen = (struct seen){ 0 };
	rv32_core__share(core, share_from);
	rv32_core__set_pc(core, CODE);
	rv32_core__set_reg(core, 10, DATA);
	rv32_core__set_reg(core, 12, 1000);
	if (rv32_core__run(core, UINT64_MAX) != RV32_STOP_EBREAK)
		printf("no end\n");
	cycles = rv32_core__cycle(core);
	rv32_core__free(core);
	return cycles;
}

int main(void)
{
	struct seen seen;
	uint64_t alone = run(UINT64_MAX, &seen);
	int failures = seen.count != 0;

	for (uint64_t from = 0; from < alone + 1000; from += 97) {
		uint64_t cycles = run(from, &seen);

		if (cycles != alone) {
			printf("shared from %" PRIu64 ": %" PRIu64 " cycles, alone %" PRIu64 "\n", from, cycles, alone);
			failures++;
		}
		if (from + LOAD_EVERY < alone && (!seen.count || seen.first > from + LOAD_EVERY || seen.first + RV32_SHARE_EARLY < from)) {
			printf("shared from %" PRIu64 ": asked first at %" PRIu64 "\n", from, seen.first);
			failures++;
		}
	}
	return failures != 0;
}
