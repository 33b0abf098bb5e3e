/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Estimates the cycles that PULP's RISC-V extensions (Xpulp: hardware loops, loads that advance the address) would save in the executed
 * loops of a handler, and prints them in the report of spinctl cost. The compiler used for PsPIN's published figures generates these
 * instructions. Called by print.c, text.c, json.c and html_cycles.c.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <hwmodel/elf.h>

#include "user/cost/html.h"
#include "user/cost/json.h"
#include "user/cost/run.h"
#include "user/cost/text.h"
#include "user/tool/error.h"

/* Returns the code that the profile covers, or NULL if memory is exhausted or the ELF is invalid. The caller frees it. */
static uint8_t *read_code(const struct cost_program *program, const struct rv32_profile *profile)
{
	uint8_t *code = calloc(1, profile->bytes + 1);
	struct hw_elf_segment segment;
	struct hw_elf *elf;
	char err[200];

	if (!code || hw_elf__open(&elf, program->elf, program->elf_bytes, err, sizeof(err)) < 0) {
		free(code);
		return NULL;
	}
	for (unsigned i = 0; !hw_elf__segment(elf, i, &segment); i++)
		for (uint32_t b = 0; b < segment.file_bytes; b++)
			if (segment.vaddr + b - profile->addr < profile->bytes)
				code[segment.vaddr + b - profile->addr] = segment.data[b];
	hw_elf__close(elf);
	return code;
}

static int by_cycles(const void *a, const void *b)
{
	const struct xpulp_loop *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? 1 : -1;
	return (x->start > y->start) - (x->start < y->start);
}

int cost_xpulp__find(const struct cost_program *program, const struct rv32_profile *profile, struct cost_xpulp *out)
{
	uint8_t *code = read_code(program, profile);
	struct xpulp_loop *loops = NULL;
	size_t count = 0;

	memset(out, 0, sizeof(*out));
	if (code) {
		count = xpulp__loops(profile, code, NULL, 0);
		loops = calloc(count + 1, sizeof(*loops));
	}
	if (loops) {
		xpulp__loops(profile, code, loops, count);
		qsort(loops, count, sizeof(*loops), by_cycles);
	}
	for (size_t i = 0; loops && i < count; i++) {
		out->cycles += loops[i].cycles;
		out->cycles_xpulp += loops[i].cycles_xpulp;
		if (i >= COST_LOOPS_MAX)
			continue;
		out->loops[i].loop = loops[i];
		cost_place(program, loops[i].start, out->loops[i].place, sizeof(out->loops[i].place));
		out->count++;
	}
	free(code);
	free(loops);
	return code && loops ? DONE : report_error("no memory for the program's loops");
}

void cost_text__xpulp(const struct cost_report *r)
{
	const struct cost_xpulp *x = &r->xpulp;
	double n = (double)r->main.alone.handled;

	if (!x->cycles)
		return;
	printf("\ninnermost loops: mean of %.1f cycles/packet, %.1f with hardware loops, post-increment and mac: packets of %.1f instead of %.1f\n",
	       (double)x->cycles / n, (double)x->cycles_xpulp / n,
	       r->main.alone.packet_cycles.mean - (double)(x->cycles - x->cycles_xpulp) / n, r->main.alone.packet_cycles.mean);
	printf("(Xpulp, that PsPIN's figures were compiled for and no packaged compiler makes of C)\n");
	printf("%13s %13s %9s %9s  loop (cycles: means)\n", "cycles/turn", "with Xpulp", "turns", "entries");
	for (unsigned i = 0; i < x->count; i++) {
		const struct xpulp_loop *l = &x->loops[i].loop;

		printf("%13.2f %13.2f %9" PRIu64 " %9" PRIu64 "  %s%s%s\n", (double)l->cycles / (double)l->turns,
		       (double)l->cycles_xpulp / (double)l->turns, l->turns, l->entries, x->loops[i].place,
		       l->reason == XPULP_NONE ? "" : ": ", l->reason == XPULP_NONE ? "" : xpulp_reason_text(l->reason));
	}
}

void cost_json__xpulp(struct json *j, const struct cost_report *r)
{
	const struct cost_xpulp *x = &r->xpulp;
	double n = r->main.alone.handled ? (double)r->main.alone.handled : 1;

	json_object(j, "xpulp");
	json_double(j, "mean_loop_cycles_per_packet", (double)x->cycles / n);
	json_double(j, "mean_loop_cycles_per_packet_with_xpulp", (double)x->cycles_xpulp / n);
	json_array(j, "loops");
	for (unsigned i = 0; i < x->count; i++) {
		const struct xpulp_loop *l = &x->loops[i].loop;

		json_object(j, NULL);
		json_string(j, "place", x->loops[i].place);
		json_uint(j, "start", l->start);
		json_uint(j, "entries", l->entries);
		json_uint(j, "turns", l->turns);
		json_uint(j, "cycles", l->cycles);
		json_uint(j, "cycles_with_xpulp", l->cycles_xpulp);
		json_uint(j, "post_increments", l->post_increments);
		json_uint(j, "macs", l->macs);
		json_string(j, "result", xpulp_reason_text(l->reason));
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

void cost_html__xpulp(FILE *to, const struct cost_report *r)
{
	static const char *const columns[] = {
		"loop", "mean cycles per turn", "with Xpulp", "turns", "entries", "<what is made of it", NULL
	};
	const struct cost_xpulp *x = &r->xpulp;
	double n = (double)r->main.alone.handled;

	if (!x->cycles)
		return;
	fprintf(to,
		"<p>Innermost loops take %.1f cycles of a packet (mean); with hardware loops, post-increment accesses and mac (Xpulp, that "
		"PsPIN’s figures were compiled for and no packaged compiler makes of C) they would take %.1f.</p>\n",
		(double)x->cycles / n, (double)x->cycles_xpulp / n);
	html__table(to, "Innermost loops, and what PULP’s instructions would save", columns);
	for (unsigned i = 0; i < x->count; i++) {
		const struct xpulp_loop *l = &x->loops[i].loop;

		html__row(to, x->loops[i].place);
		html__cell(to, "%.2f", (double)l->cycles / (double)l->turns);
		html__cell(to, "%.2f", (double)l->cycles_xpulp / (double)l->turns);
		html__cell(to, "%" PRIu64, l->turns);
		html__cell(to, "%" PRIu64, l->entries);
		fprintf(to, "<td class=\"text\">%s</td></tr>\n", xpulp_reason_text(l->reason));
	}
	html__table_end(to);
}
