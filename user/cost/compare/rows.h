/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_COMPARE_ROWS_H
#define USER_COST_COMPARE_ROWS_H

/*
 * Formulas of spinctl cost --compare: each computes a device's row from the work of one packet and the published figures in struct compare.
 * They run no program. Called by the devices' files (hxdp.c, nfp.c, dpa.c) and by tests.
 */
#include "user/cost/compare.h"
#include "user/cost/compare/vliw.h"

/* The work of one packet on hXDP; means. */
struct hxdp_work {
	double rows;         /* VLIW rows executed */
	double undrained;    /* exits without an action, for which the pipeline drains */
	double helper_calls; /* calls of helper functions */
	double frame_bytes;  /* from the Ethernet header on, without FCS */
};

double hxdp__cycles(const double property[COMPARE_PROPERTIES], const struct hxdp_work *work);
void hxdp__row(const struct compare *c, const struct hxdp_work *work, struct compare_row *row);
/* vliw__compile() with hXDP's number of lanes. */
int hxdp__compile(const double property[COMPARE_PROPERTIES], struct vliw *v, const struct bpf_insn *insns, unsigned count,
		  unsigned without);

/* instructions: of the card, each counted once. lookups: in maps. */
void nfp__row(const struct compare *c, double instructions, unsigned lookups, struct compare_row *row);

/* cycles: of a packet on a thread that runs alone. waits: those in which it waits for memory or devices, so other threads can run. */
void dpa__row(const struct compare *c, double cycles, double waits, struct compare_row *row);

#endif
