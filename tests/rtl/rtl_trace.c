/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Extracts the runs of handlers ("bodies": from a handler's first instruction to its caller's next one) from the instruction traces that
 * PsPIN's Verilator model writes for each core. Called by rtl_series.c, which compares their cycles with the NIC model's, for `make
 * rtl-check`. A body that has not ended when the trace ends is ignored.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/rtl/rtl.h"

#define OPCODE_JALR 0x67u

int rtl_bodies__add(struct rtl_bodies *b, const struct rtl_body *body)
{
	if (b->count == b->room) {
		size_t room = b->room ? b->room * 2 : 64;
		struct rtl_body *more = realloc(b->list, room * sizeof(*more));

		if (!more) {
			fprintf(stderr, "rtl-check: no memory\n");
			return -1;
		}
		b->list = more;
		b->room = room;
	}
	b->list[b->count++] = *body;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct rtl_body *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

void rtl_bodies__sort(struct rtl_bodies *b)
{
	if (b->count)
		qsort(b->list, b->count, sizeof(*b->list), by_start);
}

/* Returns the address after a call (jalr with rd = ra, or c.jalr), or 0 if it is not a call. */
static uint32_t return_address(uint32_t pc, uint32_t instruction)
{
	if ((instruction & 0x7f) == OPCODE_JALR && (instruction >> 7 & 31) == 1)
		return pc + 4;
	if ((instruction & 0xf07f) == 0x9002 && (instruction >> 7 & 31))
		return pc + 2;
	return 0;
}

struct reader {
	const uint32_t *entry;
	struct rtl_bodies *to;
	uint32_t after_call; /* address after the last instruction, if that was a call */
	uint32_t return_pc;  /* 0: no handler runs */
	struct rtl_body body;
};

static int step(struct reader *r, uint64_t cycle, uint32_t pc, uint32_t instruction)
{
	uint32_t after_call = r->after_call;

	r->after_call = return_address(pc, instruction);
	if (r->return_pc) {
		if (pc != r->return_pc)
			return 0;
		r->return_pc = 0;
		r->body.cycles = cycle - r->body.start;
		return rtl_bodies__add(r->to, &r->body);
	}
	for (unsigned k = 0; k < RTL_KINDS && after_call; k++) {
		if (!r->entry[k] || pc != r->entry[k])
			continue;
		r->return_pc = after_call;
		r->body = (struct rtl_body){ .kind = (enum rtl_kind)k, .start = cycle };
		break;
	}
	return 0;
}

int rtl_trace__read(struct rtl_bodies *b, const uint32_t entry[RTL_KINDS], const char *path)
{
	struct reader r = { .entry = entry, .to = b };
	FILE *from = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	int rc = 0;

	if (!from) {
		fprintf(stderr, "rtl-check: %s: %s\n", path, strerror(errno));
		return -1;
	}
	while (!rc && getline(&line, &room, from) > 0) {
		unsigned long long cycle;
		unsigned pc, instruction;

		if (sscanf(line, "%*u %llu %8x %8x", &cycle, &pc, &instruction) == 3)
			rc = step(&r, cycle, pc, instruction);
	}
	free(line);
	fclose(from);
	return rc;
}
