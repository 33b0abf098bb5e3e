/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_JOB_H
#define USER_COST_JOB_H

/*
 * The state of one spinctl cost report in progress: options, program, packets and results so far. Shared by the files that measure
 * (measure.c, contexts.c, compare.c) and print (print.c).
 */
#include "user/cost/run.h"

/* A report in progress. */
struct cost_job {
	const struct cost_options *options;
	struct cost_program program;
	struct cost_source *source;
	struct cost_report *report;
};

/* Checks that the requested packets are of the handler's kind. path: named in messages. Returns DONE, or FAILED after a message. */
int cost_job__check_packets(const struct cost_job *job, const char *path);
/* Measures packets alone and cold. Returns DONE, or FAILED after a message. */
int cost_report__alone(struct cost_job *job);
/* Measures packets alone, cold and under load. Returns DONE, or FAILED after a message. */
int cost_report__measure(struct cost_job *job);
/* Fills in the report and prints it. Returns DONE, or FAILED after a message. */
int cost_report__make(struct cost_job *job);

#endif
