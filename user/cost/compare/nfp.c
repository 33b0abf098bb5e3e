/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl cost --compare, the row of a Netronome NFP card: derives the rate from the number of instructions that the driver's JIT generates
 * for the handler's program, and from the card's engines (cores) and their threads. Called by compare.c. An estimate: the card's own work
 * on a packet is not published, so the highest published rate is an upper limit.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <spin/libspin.h>
#include <spin/offload.h>

#include "kernel/nfp/check.h"
#include "user/cost/compare.h"
#include "user/cost/compare/program.h"
#include "user/cost/compare/rows.h"
#include "user/tool/error.h"

#define LINK_EXTRA_BYTES 38 /* Ethernet's header, FCS, preamble and gap (IEEE 802.3) */

static unsigned count_lookups(const struct bpf_code *code)
{
	unsigned n = 0;

	for (unsigned i = 0; i < code->count; i++)
		n += code->insns[i].code == (BPF_JMP | BPF_CALL) && !code->insns[i].src_reg &&
		     code->insns[i].imm == BPF_FUNC_map_lookup_elem;
	return n;
}

/*
 * An engine issues one instruction per cycle from one of its threads. While one thread waits for memory, the others run. So a packet takes
 * an engine at least its issue cycles, and a thread at least its issue cycles plus its waits.
 */
void nfp__row(const struct compare *c, double instructions, unsigned lookups, struct compare_row *row)
{
	const double *p = c->property, clock = p[COMPARE_NFP_CLOCK_MHZ];
	const double engines = p[COMPARE_NFP_ENGINES], threads = p[COMPARE_NFP_THREADS];
	const double latency_cycles = instructions + p[COMPARE_NFP_PACKET_WAIT_CYCLES] + lookups * p[COMPARE_NFP_LOOKUP_WAIT_CYCLES];

	row->work = instructions;
	row->work_unit = "instructions";
	row->ns_per_packet = latency_cycles * 1e3 / clock;
	row->engines = (unsigned)(engines * threads); /* each thread works on one packet at a time */
	compare__bound(row, engines * clock / instructions, "%.0f engines that issue %.0f instructions a packet", engines, instructions);
	compare__bound(row, engines * threads * clock / latency_cycles, "latency: %.0f cycles a packet on %.0f engines of %.0f threads",
		       latency_cycles, engines, threads);
	compare__bound(row, p[COMPARE_NFP_PACKETS_MPPS], "the card's own work: the highest rate published");
	compare__bound(row, p[COMPARE_NFP_LINK_GBPS] * 1e3 / (8 * (c->packet_bytes + LINK_EXTRA_BYTES)), "link, %g Gbit/s",
		       p[COMPARE_NFP_LINK_GBPS]);
}

/* Returns how many instructions the JIT generates (kernel/nfp/jit.h), or 0 if the driver refuses the program; the row says why. */
static unsigned count_instructions(const void *elf, size_t bytes, struct compare_row *row)
{
	struct nfp_profile profile;
	struct nfp_report *report = NULL;
	char reason[256] = "";
	unsigned count = 0;

	if (nfp_profile__default(&profile) || nfp_check__object(elf, bytes, &profile, NFP_ALL_KERNELS, 0, &report, reason, sizeof(reason)))
		compare__set_reason(row, "its program for the card cannot be checked: %s", reason);
	else if (!report->count || report->programs[0].verdict == NFP_REJECT || !report->programs[0].nfp_instructions)
		compare__set_reason(row, "the card's driver refuses its program, as `spinctl check --target nfp` tells");
	else
		count = report->programs[0].nfp_instructions;
	nfp_report__free(report);
	return count;
}

static int fill_row(const struct compare *c, const void *elf, size_t bytes, struct compare_row *row)
{
	const unsigned instructions = count_instructions(elf, bytes, row);
	struct bpf_code code;
	char reason[256];

	if (!instructions)
		return DONE;
	if (bpf_code__read(&code, elf, bytes, SPIN_NFP_PROGRAM, reason, sizeof(reason)))
		return compare__set_reason(row, "its program for the card cannot be read: %s", reason);
	nfp__row(c, instructions, count_lookups(&code), row);
	bpf_code__free(&code);
	return DONE;
}

int compare_nfp(const struct compare *c, struct compare_row *row)
{
	const struct cost_program *program = &c->job->program;
	size_t bytes;
	void *elf;
	int status;

	row->how = COMPARE_ESTIMATE;
	compare__check(row, "L4 load balancer, which is the limit here: no figure checks the row", "Netronome", "Mpps",
		       c->property[COMPARE_NFP_PACKETS_MPPS], NAN);
	if (!program->object)
		return compare__set_reason(row, "a program for PsPIN has no eBPF program");
	if (!spin_object__card(program->object, &bytes))
		return compare__set_reason(row,
					   "the object has no program for the card: the card has no messages, no host memory and no "
					   "stores to tables; a handler that looks up and counts in tables can be compiled for it with "
					   "spincc --target nfp");
	if (spin_object__card_program(program->object, program->rule, 1, &elf, &bytes))
		return compare__set_reason(row, "%s", spin_strerror_last());
	status = fill_row(c, elf, bytes, row);
	free(elf);
	return status;
}
