/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_SWEEP_H
#define USER_COST_SWEEP_H

/*
 * spinctl cost --sweep: runs the same packets through a modelled NIC for every combination (point) of the values of the swept parameters
 * (axes). Worker threads run the points. Results are in the order of the points. Called by measure.c; sweep.c prints text and JSON,
 * html_sweep.c the page.
 */
#include "user/cost/run.h"

#define COST_SWEEP_AXES   8
#define COST_SWEEP_VALUES 1024 /* values per axis */
#define COST_SWEEP_POINTS 65536

/* NAME=1,2,4..16:4. NAME is a target's parameter, "size" (bytes from the IP header on) or "rate" (offered Gbit/s). */
struct cost_axis {
	char name[40];
	const char *unit;
	uint64_t *values;
	unsigned count;
};

/* The result of one point. */
struct cost_sweep_result {
	struct cost_distribution cycles;     /* of a packet's handlers, alone on the NIC */
	struct cost_distribution latency_ps; /* alone on the NIC */
	double packet_bytes;
	struct cost_throughput throughput;
	double hpus_busy;        /* average under load */
	double hpus_at_100_gbps; /* needed, by the cycles alone */
	uint64_t lost;
};

/* A sweep: its axes, and the results of all points. */
struct cost_sweep {
	const struct cost_program *program;
	const struct cost_source_options *source;
	const struct cost_report *base; /* fields common to all points */
	struct cost_axis axis[COST_SWEEP_AXES];
	unsigned axes, points;
	struct cost_sweep_result *results; /* one per point; the last axis varies fastest */
};

/* Parses the axes of the command line. Returns 0, or -1 with a reason. */
int cost_sweep__parse(struct cost_sweep *sweep, const struct option_list *axes, char *err, size_t err_bytes);
void cost_sweep__free(struct cost_sweep *sweep);
/* Runs all points. threads 0: one per processor. Returns DONE, or FAILED after a message that names the point. */
int cost_sweep__run(struct cost_sweep *sweep, unsigned threads);
/* Returns the value of an axis at a point. */
uint64_t cost_sweep__value(const struct cost_sweep *sweep, unsigned point, unsigned axis);

void cost_sweep__text(const struct cost_sweep *sweep);
void cost_sweep__json(const struct cost_sweep *sweep);
/* Writes a page with plots. Returns DONE, or FAILED after a message. */
int cost_sweep__html(const struct cost_sweep *sweep, const char *path);

#endif
