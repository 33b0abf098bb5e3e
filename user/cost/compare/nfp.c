/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The row of a Netronome NFP: its rate by the instructions of the handler's program for the card, the engines and their threads. Called by
 * compare.c. An estimate: the card's own work on a packet is not published, so its highest published rate is a limit.
 */
#include <math.h>
#include <string.h>

#include "user/cost/compare.h"
#include "user/cost/compare/nfp.h"
#include "user/cost/compare/program.h"
#include "user/libspin/internal.h"
#include "user/tool/error.h"

#define NFP_SECTION      ".spin.nfp"
#define NFP_PROGRAM      "spin_nfp"
#define LINK_EXTRA_BYTES 38 /* Ethernet's header, FCS, preamble and gap (IEEE 802.3) */

/*
 * An engine issues an instruction a cycle, of one of its threads; while one waits for memory the others run. So an engine does a
 * packet in no less than the cycles that it issues, and each thread in no less than those and its waits.
 */
double nfp__engine_mpps(double instructions, double wait_cycles)
{
	const double clock = compare__property(COMPARE_NFP_CLOCK_MHZ), threads = compare__property(COMPARE_NFP_THREADS);

	return fmin(clock / instructions, threads * clock / (instructions + wait_cycles));
}

double nfp__instructions(unsigned bpf_instructions)
{
	return compare__property(COMPARE_NFP_FIXED_INSTRUCTIONS) + compare__property(COMPARE_NFP_INSTRUCTIONS_PER_BPF) * bpf_instructions;
}

static unsigned lookups(const struct bpf_code *code)
{
	unsigned n = 0;

	for (unsigned i = 0; i < code->count; i++)
		n += code->insns[i].code == (BPF_JMP | BPF_CALL) && !code->insns[i].src_reg &&
		     code->insns[i].imm == BPF_FUNC_map_lookup_elem;
	return n;
}

static void fill(const struct compare *c, const struct bpf_code *code, struct compare_row *row)
{
	const double engines = compare__property(COMPARE_NFP_ENGINES);
	const double wait =
		compare__property(COMPARE_NFP_PACKET_WAIT_CYCLES) + lookups(code) * compare__property(COMPARE_NFP_LOOKUP_WAIT_CYCLES);
	const double link = compare__property(COMPARE_NFP_LINK_GBPS) * 1e3 / (8 * (c->packet_bytes + LINK_EXTRA_BYTES));

	row->work = nfp__instructions(code->count);
	row->work_unit = "instructions";
	row->ns_per_packet = (row->work + wait) * 1e3 / compare__property(COMPARE_NFP_CLOCK_MHZ);
	row->engines = (unsigned)engines;
	compare__bound(row, engines * nfp__engine_mpps(row->work, wait), "%.0f instructions on %.0f engines of %.0f threads", row->work,
		       engines, compare__property(COMPARE_NFP_THREADS));
	compare__bound(row, compare__property(COMPARE_NFP_PACKETS_MPPS), "the card's own work: the highest rate published");
	compare__bound(row, link, "link, %g Gbit/s", compare__property(COMPARE_NFP_LINK_GBPS));
}

int compare_nfp(const struct compare *c, struct compare_row *row)
{
	const struct spin_object *object = c->job->program.object;
	size_t offset = 0, bytes = 0;
	struct bpf_code code;
	char why[256];

	row->how = COMPARE_ESTIMATE;
	compare__check(row, "L4 load balancer, which is the limit here: no figure checks the row", "Netronome", "Mpps",
		       compare__property(COMPARE_NFP_PACKETS_MPPS), NAN);
	if (!object)
		return compare__without(row, "a program for PsPIN has no eBPF program");
	if (spin_elf__section(object->data, object->bytes, NFP_SECTION, &offset, &bytes) || !bytes)
		return compare__without(row, "the object has no program for the card (section " NFP_SECTION
					     "): the card has no messages, no host memory and no stores to tables; a handler that looks up "
					     "and counts in tables can be compiled for it with spincc --target nfp");
	if (bpf_code__read(&code, object->data + offset, bytes, NFP_PROGRAM, NULL, why, sizeof(why)))
		return compare__without(row, "its program for the card cannot be read: %s", why);
	fill(c, &code, row);
	bpf_code__free(&code);
	return DONE;
}
