/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_DEMO_SUMMARY_H
#define TESTS_DEMO_SUMMARY_H

/*
 * The demo's results for one handler: a table, and rows of build/demo.json. Filled by the parts of the demo, printed by demo.c. NAN: not
 * measured.
 */
#include <spin/reason.h>
#include <stdint.h>

#include "tests/common/measure/measure.h"
#include "tests/demo/hpu.h"

struct summary_part {
	const char *name; /* name of a class of packets, such as "get_hit" */
	double ns;        /* at XDP, minus an empty program */
	double cycles;    /* of the handlers' bodies on the HPU */
};

struct summary {
	const char *name; /* of the handler */
	const char *unit; /* "requests answered" or "datagrams delivered" */
	uint64_t packets[SPIN_REASON_COUNT];
	/* NAN: not measured (same below) */
	double xdp_ns; /* mean */
	struct summary_part part[4];
	unsigned parts;
	const char *hit_name;            /* what counts as a hit */
	double hit_rate;                 /* of all packets matched, 0 to 1 */
	double rate[2], cpu_ns[2];       /* per second; receiver CPU time per unit. [0] without the handler, [1] with */
	double speedup, bound, vs_bound; /* medians over rounds; NAN if not applicable */
	double body_cycles;              /* mean of the handlers' bodies, in cycles */
	double packet_bytes;             /* mean, from the IP header on */
	double hpus[2][2];               /* [200, 400 Gbit/s][packet bytes only, with Ethernet's 38] */
};

/* Marks all values as not measured. */
void summary_begin(struct summary *s, const char *name);
/* Fills hpus[][] from body_cycles and packet_bytes. */
void summary_hpus(struct summary *s, const struct hpu *hpu);
void summary_print(const struct summary *s);
void summary_rows(const struct summary *s, struct measure *m);

#endif
