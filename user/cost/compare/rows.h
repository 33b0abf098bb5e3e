/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_COMPARE_ROWS_H
#define USER_COST_COMPARE_ROWS_H

/* The devices' formulas: rows from what one packet takes and from the properties in struct compare. Nothing is run here. */
#include "user/cost/compare.h"
#include "user/cost/compare/vliw.h"

/* What a packet takes on hXDP, means. */
struct hxdp_work {
	double rows;         /* VLIW rows that run */
	double undrained;    /* exits that have no action in them, for which the pipeline drains */
	double helper_calls; /* of helper functions */
	double frame_bytes;  /* from the Ethernet header on, without FCS */
};

double hxdp__cycles(const double property[COMPARE_PROPERTIES], const struct hxdp_work *work);
void hxdp__row(const struct compare *c, const struct hxdp_work *work, struct compare_row *row);
/* vliw__compile() for hXDP's lanes. */
int hxdp__compile(const double property[COMPARE_PROPERTIES], struct vliw *v, const struct bpf_insn *insns, unsigned count,
		  unsigned without);

/* A program of so many instructions of the card, which run once each, and look-ups in maps. */
void nfp__row(const struct compare *c, double instructions, unsigned lookups, struct compare_row *row);

/* A packet of so many cycles on a thread that is alone, `waits` of which it waits for memory or devices and others of its core can run. */
void dpa__row(const struct compare *c, double cycles, double waits, struct compare_row *row);

#endif
