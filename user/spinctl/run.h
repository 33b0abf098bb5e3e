/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPINCTL_RUN_H
#define SPINCTL_RUN_H

#include "spinctl.h"

/* What is reported at the end of an interval; text and JSON come from this. */
struct run_report {
	double time_s, interval_s;
	uint64_t packets[SPIN_REASON_COUNT];     /* since attaching */
	uint64_t in_interval[SPIN_REASON_COUNT];
	int final;
};

struct run_printer {
	int json, state;
	const char *handler, *device, *rule;
	struct spin_ctx *ctx;
};

void run_print__start(const struct run_printer *p);
void run_print__report(const struct run_printer *p, const struct run_report *r);
/* For spin_ctx__events(): arg is a struct run_printer. */
void run_print__event(void *arg, const struct spin_event *event);

#endif
