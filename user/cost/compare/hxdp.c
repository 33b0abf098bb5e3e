/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl cost --compare, the row of hXDP (an FPGA NIC with a VLIW processor for eBPF): compiles the handler's XDP program by hXDP's
 * published rules (vliw.h) and interprets it on the report's packets (machine.h). Each block's VLIW rows count as often as the block ran.
 * Called by compare.c. The program includes the parsing and matching that PsPIN does in hardware.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/cost/compare/code.h"
#include "user/cost/compare/machine.h"
#include "user/cost/compare/rows.h"
#include "user/tool/error.h"

#define PACKETS_MAX      2048
#define STEPS_MAX        (1u << 26) /* run no further packet after this many instructions; takes a second or two */
#define LINK_EXTRA_BYTES 24         /* FCS, preamble and gap (IEEE 802.3) */

/* Runs the packets. Returns DONE, even if the machine could not run one and has a reason; FAILED after a message. */
static int run_packets(const struct compare *c, struct machine *m, double *frame_bytes)
{
	struct cost_packet packet;
	int next = 1;

	while (m->packets < PACKETS_MAX && m->steps < STEPS_MAX && !m->reason[0]) {
		next = cost_source__next(c->job->source, &packet);
		if (next != 1)
			break;
		*frame_bytes += packet.bytes;
		machine__run(m, packet.frame, packet.bytes);
	}
	return next == FAILED_SOURCE ? FAILED : DONE;
}

double hxdp__cycles(const double property[COMPARE_PROPERTIES], const struct hxdp_work *work)
{
	return property[COMPARE_HXDP_START_CYCLES] + work->rows + work->undrained * property[COMPARE_HXDP_DRAIN_CYCLES] +
	       work->helper_calls * property[COMPARE_HXDP_HELPER_CYCLES];
}

int hxdp__compile(const double property[COMPARE_PROPERTIES], struct vliw *v, const struct bpf_insn *insns, unsigned count, unsigned without)
{
	return vliw__compile(v, insns, count, (unsigned)property[COMPARE_HXDP_LANES], without);
}

/* Returns the rate of a program in which each instruction runs once. */
static double straight_line_mpps(const double property[COMPARE_PROPERTIES], const struct bpf_insn *insns, unsigned count, unsigned without)
{
	uint64_t runs[32], undrained, rows;
	struct hxdp_work work = { 0 };
	struct vliw v;

	for (unsigned i = 0; i < count; i++)
		runs[i] = 1;
	if (hxdp__compile(property, &v, insns, count, without))
		return NAN;
	rows = vliw__rows_run(&v, runs, &undrained);
	vliw__free(&v);
	work.rows = (double)rows;
	work.undrained = (double)undrained;
	return property[COMPARE_HXDP_CLOCK_MHZ] / hxdp__cycles(property, &work);
}

/* Adds the published rates of the programs of hXDP 5.2.2, rebuilt from the paper's description. */
static void add_checks(const struct compare *c, struct compare_row *row)
{
	static const struct bpf_insn drop[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = XDP_DROP },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	/* parses the Ethernet header and swaps its addresses */
	static const struct bpf_insn tx[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = 2, .src_reg = 1, .off = 4 },
		{ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = 1, .src_reg = 1, .off = 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 3, .src_reg = 1 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 3, .imm = 14 },
		{ .code = BPF_JMP | BPF_JGT | BPF_X, .dst_reg = 3, .src_reg = 2, .off = 9 },
		{ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = 2, .src_reg = 1, .off = 0 },
		{ .code = BPF_LDX | BPF_MEM | BPF_H, .dst_reg = 3, .src_reg = 1, .off = 4 },
		{ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = 4, .src_reg = 1, .off = 6 },
		{ .code = BPF_LDX | BPF_MEM | BPF_H, .dst_reg = 5, .src_reg = 1, .off = 10 },
		{ .code = BPF_STX | BPF_MEM | BPF_W, .dst_reg = 1, .src_reg = 4, .off = 0 },
		{ .code = BPF_STX | BPF_MEM | BPF_H, .dst_reg = 1, .src_reg = 5, .off = 4 },
		{ .code = BPF_STX | BPF_MEM | BPF_W, .dst_reg = 1, .src_reg = 2, .off = 6 },
		{ .code = BPF_STX | BPF_MEM | BPF_H, .dst_reg = 1, .src_reg = 3, .off = 10 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = XDP_TX },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	compare__check(row, "XDP_DROP, of which the start's cycles are derived", "hXDP 5.2.2", "Mpps", 52,
		       straight_line_mpps(c->property, drop, sizeof(drop) / sizeof(drop[0]), 0));
	compare__check(row, "XDP_DROP without an exit that has its action", "hXDP 5.2.2", "Mpps", 22,
		       straight_line_mpps(c->property, drop, sizeof(drop) / sizeof(drop[0]), VLIW_NO_ACTIONS | VLIW_KEEP_ZEROING));
	compare__check(row, "XDP_TX: Ethernet addresses swapped", "hXDP 5.2.2", "Mpps", 22.5,
		       straight_line_mpps(c->property, tx, sizeof(tx) / sizeof(tx[0]), 0));
	compare__check(row, "instructions per row of hXDP's own programs: tests/accuracy/hxdp", "hXDP table 3", "", NAN, NAN);
}

void hxdp__row(const struct compare *c, const struct hxdp_work *work, struct compare_row *row)
{
	const double *p = c->property, clock = p[COMPARE_HXDP_CLOCK_MHZ], cycles = hxdp__cycles(p, work);
	const double frames = ceil(work->frame_bytes / p[COMPARE_HXDP_FRAME_BYTES]);

	row->work = work->rows;
	row->work_unit = "VLIW rows";
	row->ns_per_packet = cycles * 1e3 / clock;
	row->engines = 1;
	compare__bound(row, clock / cycles, "the processor: %.1f cycles a packet at %g MHz", cycles, clock);
	compare__bound(row, clock / frames, "the input queue, %.0f frames of %.0f bytes a packet", frames, p[COMPARE_HXDP_FRAME_BYTES]);
	compare__bound(row, p[COMPARE_HXDP_LINK_GBPS] * 1e3 / (8 * (work->frame_bytes + LINK_EXTRA_BYTES)), "link, %g Gbit/s",
		       p[COMPARE_HXDP_LINK_GBPS]);
}

/* Fills the row with means over the packets that ran. */
static void fill_row(const struct compare *c, const struct vliw *v, const struct machine *m, double frame_bytes, struct compare_row *row)
{
	const double packets = (double)m->packets;
	uint64_t undrained, rows = vliw__rows_run(v, m->runs, &undrained);
	const struct hxdp_work work = { .rows = (double)rows / packets,
					.undrained = (double)undrained / packets,
					.helper_calls = (double)m->helper_calls / packets,
					.frame_bytes = frame_bytes / packets };

	hxdp__row(c, &work, row);
}

static int run_program(const struct compare *c, struct bpf_code *code, struct compare_row *row)
{
	struct machine *m = calloc(1, sizeof(*m));
	double frame_bytes = 0;
	struct vliw v;
	int status;

	if (!m || machine__open(m, code)) {
		free(m);
		return report_error("--compare: no memory");
	}
	status = run_packets(c, m, &frame_bytes);
	if (m->reason[0])
		compare__set_reason(row, "its program cannot be followed: %s", m->reason);
	else if (!m->packets)
		compare__set_reason(row, "there is no packet");
	else if (m->tail_calls)
		compare__set_reason(row, "its packets go through several programs by tail calls, which hXDP does not have");
	else if (hxdp__compile(c->property, &v, code->insns, code->count, 0))
		compare__set_reason(row, "its program cannot be compiled: it jumps out of itself, or has more than %u instructions",
				    VLIW_INSTRUCTIONS_MAX);
	else {
		fill_row(c, &v, m, frame_bytes, row);
		vliw__free(&v);
	}
	machine__close(m);
	free(m);
	return status;
}

int compare_hxdp(const struct compare *c, struct compare_row *row)
{
	const struct cost_program *program = &c->job->program;
	const struct spin_object *object = program->object;
	struct bpf_code *code;
	char reason[256];
	int status;

	row->how = COMPARE_MODELLED;
	add_checks(c, row);
	if (!object)
		return compare__set_reason(row, "a program for PsPIN has no eBPF program");
	if (c->job->report->takes_messages)
		return compare__set_reason(row, "a message's packets go through several programs by tail calls, which hXDP does not have");
	if (c->job->report->takes_segments)
		return compare__set_reason(row, "handlers of TCP segments look up sockets of the kernel, which hXDP does not have");
	code = malloc(sizeof(*code));
	if (!code)
		return report_error("--compare: no memory");
	if (compare_code__open(code, program, reason, sizeof(reason))) {
		free(code);
		return compare__set_reason(row, "its program cannot be read: %s", reason);
	}
	status = compare_code__fill(code, program);
	if (!status)
		status = cost_source__rewind(c->job->source);
	if (!status)
		status = run_program(c, code, row);
	bpf_code__free(code);
	free(code);
	return status;
}
