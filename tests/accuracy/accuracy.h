/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_ACCURACY_ACCURACY_H
#define TESTS_ACCURACY_ACCURACY_H

/*
 * A calibration row: a value measured on PsPIN's RTL, with the function that measures the same in the NIC model. accuracy.c runs all rows
 * (`make accuracy`); the files that include this define them. Each row has its own machine, so that rows do not depend on each other.
 */
#include "tests/accuracy/machine.h"

#define VALUES_MAX 32

/* The values of a row: one number, or several in order (start times, clusters). */
struct values {
	double v[VALUES_MAX];
	unsigned count;
	double least, most; /* range, if the value is a median or mean; otherwise both are 0 */
};
void values__add(struct values *values, double v);

enum {
	ROW_LOAD = 1,  /* several HPUs at once; otherwise idle */
	ROW_DOUBT = 2, /* the measurements trust it less, or do not state all conditions */
};

struct row {
	const char *group, *name;
	/* "20.9", "1.02-1.05" (any value in the range), or several numbers separated by blanks; with the digits as measured */
	const char *measured;
	const char *unit;
	unsigned flags;
	void (*measure)(struct machine *machine, const struct row *row, struct values *out);
	const char *text[3];
	long arg[4];
	double grain; /* resolution of the model's value: a row is exact if the difference is at most this, or half of the last digit */
};

/* Arrays of rows, one per kind. The last row has name NULL. */
extern const struct row sequence_rows[], path_rows[], schedule_rows[], command_rows[], memory_rows[], cache_rows[], cache_256_rows[],
	cache_512_rows[], cache_1024_rows[];

/* --- shared by several kinds --- */

/* Returns the number of one-cycle instructions of `function` before FUNCTION_from. */
double cycles_before(const struct machine *machine, const char *function);
/* Returns the cycles of a task that ran `function`, from FUNCTION_from to its return. */
double body_from(const struct machine *machine, const struct ended *ended, const char *function);
/* Same for a task on an idle machine with a warm instruction cache. */
double timed_body(struct machine *machine, const char *function);
/* Adds `count` packets of one message at packets[n], and marks the last one as end of message. Returns the new n. */
unsigned add_packets(struct packet *packets, unsigned n, uint32_t message, const struct soc_context *context, unsigned bytes,
		     unsigned count);
/*
 * Runs `function` on `hpus` HPUs of `clusters` clusters with warm instruction caches. There is one message per cluster, and the packets
 * of the messages alternate: packet i runs on cluster i modulo clusters.
 */
void run_at_once(struct machine *machine, const char *function, unsigned hpus, unsigned clusters, unsigned bytes);
/*
 * Same, but all packets of one cluster's message precede those of the next. Commands must have been measured in this order, since only
 * then the totals of 16 and 32 HPUs equal the measurement.
 */
void run_by_message(struct machine *machine, const char *function, unsigned hpus, unsigned clusters, unsigned bytes);

#endif
