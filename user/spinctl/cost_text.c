/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <inttypes.h>

#include "cost.h"

static void spread_row(const char *name, uint64_t runs, const struct cost_spread *c, double instructions,
		       double ipc)
{
	printf("%-12s %10" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %10.1f %12.1f %6.2f\n",
	       name, runs, c->min, c->median, c->p99, c->max, c->mean, instructions, ipc);
}

static void share_row(const char *name, double cycles, double all, const char *text)
{
	printf("%-12s %10.2f %6.1f %%  %s\n", name, cycles, all > 0 ? 100 * cycles / all : 0, text);
}

static void tasks(const struct cost_report *r)
{
	printf("\n%-12s %10s %8s %8s %8s %8s %10s %12s %6s\n", "handler", "runs", "min", "median", "p99",
	       "max", "mean", "instructions", "IPC");
	for (unsigned k = 0; k < PSPIN_TASK_KINDS; k++)
		if (r->tasks[k].runs)
			spread_row(r->tasks[k].name, r->tasks[k].runs, &r->tasks[k].cycles,
				   r->tasks[k].instructions_mean, r->tasks[k].ipc);
	spread_row("packet", r->handled, &r->packet_cycles, r->packet_instructions_mean, r->ipc);
	for (unsigned k = 0; k < PSPIN_TASK_KINDS; k++) {
		const struct cost_task *t = &r->tasks[k];

		if (t->nic_sends || t->host_dmas || t->host_writes || t->errors)
			printf("%s commands: %" PRIu64 " sends, %" PRIu64 " DMAs to host, %" PRIu64 " from host, %" PRIu64
			       " host writes; errors: %" PRIu64 "\n", t->name, t->nic_sends,
			       t->host_dmas - t->host_reads, t->host_reads, t->host_writes, t->errors);
	}
}

static void shares(const struct cost_report *r)
{
	double parts = 0;

	printf("\n%-12s %10s\n", "cause", "cycles/packet");
	for (unsigned c = 0; c < RV32_CAUSE_COUNT; c++)
		if (r->cause_cycles_mean[c] > 0)
			share_row(rv32_cause_name(c), r->cause_cycles_mean[c], r->packet_cycles.mean,
				  rv32_cause_text(c));
	for (unsigned p = 0; p < COST_PARTS; p++)
		parts += r->part_cycles_mean[p];
	printf("\n%-12s %10s\n", "part", "cycles/packet");
	for (unsigned p = 0; p < COST_PARTS; p++)
		if (r->part_instructions_mean[p] > 0)
			share_row(cost_part_name(p), r->part_cycles_mean[p], parts, cost_part_text(p));
}

static void lines(const struct cost_report *r)
{
	if (!r->line_count)
		return;
	printf("\n%13s %13s  %-8s line\n", "cycles/packet", "instr/packet", "part");
	for (unsigned i = 0; i < r->line_count; i++) {
		const struct cost_line *l = &r->lines[i];

		printf("%13.2f %13.2f  %-8s %s:%u  %s\n", (double)l->cycles / (double)r->handled,
		       (double)l->instructions / (double)r->handled, cost_part_name(l->part), l->file,
		       l->line, l->text ? l->text : "");
	}
}

static void rates(const struct cost_report *r)
{
	printf("\nHPUs needed = packet rate x %.1f cycles (bodies + %u per task) at %g GHz, packets of %.1f bytes\n",
	       r->cycles_with_runtime_mean, r->runtime_cycles, r->clock_ghz, r->packet_bytes_mean);
	printf("%-12s %14s %24s\n", "line rate", "packet bytes", "with Ethernet's 38 bytes");
	for (unsigned i = 0; i < COST_RATES; i++)
		printf("%4.0f Gbit/s  %14.2f %24.2f\n", r->rates[i].gbps, r->rates[i].hpus,
		       r->rates[i].hpus_with_ethernet);
}

void cost_text__print(const struct cost_report *r)
{
	printf("%s on %s, rule: %s\n", r->handler, r->target, r->rule);
	if (r->trace)
		printf("trace %s", r->trace);
	else
		printf("%u messages made, of %u packets with %u bytes of payload", r->made.messages, r->made.packets,
		       r->made.payload_bytes);
	printf(": %" PRIu64 " frames, %" PRIu64 " handled", r->frames, r->handled);
	if (r->cut_short)
		printf(", %" PRIu64 " left out because the capture cut them short", r->cut_short);
	printf("\ncompiled by %s; modelled: %s\n\n", r->compiler, r->isa);
	counters__text(r->packets, r->takes_messages);
	if (r->handled) {
		tasks(r);
		shares(r);
		lines(r);
		rates(r);
	}
	if (r->assumptions && r->assumptions[0])
		printf("\nnot charged (assumed NIC hardware):\n");
	for (const char *const *a = r->assumptions; a && *a; a++)
		printf("  %s\n", *a);
}
