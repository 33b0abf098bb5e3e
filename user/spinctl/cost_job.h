/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPINCTL_COST_JOB_H
#define SPINCTL_COST_JOB_H

#include "cost_run.h"

struct cost_job {
	const struct cost_options *options;
	struct cost_program program;
	struct cost_source *source;
	struct cost_report *report;
};

/* Fills the report and prints it. DONE, or FAILED after a message. */
int cost_report__make(struct cost_job *job);

#endif
