/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_ACCURACY_ACCURACY_H
#define TESTS_ACCURACY_ACCURACY_H

/*
 * Calibration rows of the RTL against the model. A row is what was measured, and how it is measured in the model: on a machine
 * of its own, so that rows do not depend on each other.
 */
#include "tests/accuracy/machine.h"

#define VALUES_MAX 32

/* What a row gives: a number, or several in an order (times of starts, clusters). */
struct values {
	double v[VALUES_MAX];
	unsigned count;
	double least, most; /* of what one value is the median of; both 0: it is none */
};
void values__add(struct values *values, double v);

enum {
	ROW_LOAD = 1,  /* several at once; else idle */
	ROW_DOUBT = 2, /* the measurements themselves say not to trust it much, or do not say all of how it was run */
};

struct row {
	const char *group, *name;
	/* "20.9", "1.02-1.05" (any of it), or several numbers with blanks between; as many digits as were measured */
	const char *measured;
	const char *unit;
	unsigned flags;
	void (*measure)(struct machine *machine, const struct row *row, struct values *out);
	const char *text[3];
	long arg[4];
	double grain; /* of the model's value: exact if no farther off; beside half of the last digit */
};

/* Rows of one kind each; ends with name NULL. */
extern const struct row sequence_rows[], path_rows[], schedule_rows[], command_rows[], memory_rows[], cache_rows[], cache_256_rows[],
	cache_512_rows[], cache_1024_rows[];

/* --- what several kinds have in common --- */

/* One-cycle instructions of `function` before FUNCTION_from. */
double cycles_before(const struct machine *machine, const char *function);
/* Of a task that ran `function`: cycles from FUNCTION_from on to where it returns. */
double body_from(const struct machine *machine, const struct ended *ended, const char *function);
/* The same on an idle machine, warm. */
double timed_body(struct machine *machine, const char *function);
/* `count` packets of one message, its last one marked, to packets[n] on; the new n. */
unsigned add_packets(struct packet *packets, unsigned n, uint32_t message, const struct soc_context *context, unsigned bytes,
		     unsigned count);
/*
 * So many HPUs of so many clusters run `function`, warm: a message for each cluster, packets in turn. Packet i is on
 * cluster i modulo clusters.
 */
void run_at_once(struct machine *machine, const char *function, unsigned hpus, unsigned clusters, unsigned bytes);
/*
 * The same, but all packets of one cluster's message come before those of the next one's: so it was for commands, since the
 * totals of 16 and 32 HPUs then are what was measured.
 */
void run_by_message(struct machine *machine, const char *function, unsigned hpus, unsigned clusters, unsigned bytes);

#endif
