/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_OPTIONS_H
#define USER_COST_OPTIONS_H

/*
 * Options of spinctl cost, and the functions that the command calls: check, then run. Filled by user/spinctl/cost.c from its table of
 * options.
 */
#include "user/cost/report.h"
#include "user/tool/fill.h"

/* The options, first as given and then parsed. */
struct cost_options {
	const char *trace, *target, *sizes, *gbps, *framing, *html, *trace_file, *budget, *payload, *payload_bytes, *api, *weights;
	struct fill_options fill;
	struct option_list match; /* empty: udp */
	struct option_list compile;
	struct cost_generated made;
	struct {
		const char *path, *header, *payload, *completion;
		struct option_list memory;
	} image;
	struct option_list sweep;
	unsigned datagrams, top, threads, watchdog;
	int lines, json, advise, compare;
	/* parsed from the strings above */
	unsigned size[COST_SIZES_MAX], size_count;
	double gbps_value, budget_value;
	unsigned weight[COST_CONTEXTS_MAX], payload_of[COST_CONTEXTS_MAX]; /* per handler, if there are several */
};

/* Returns DONE, or USAGE after a message. */
int cost_options__check(struct cost_options *options, unsigned operands);
/* Reports on the object, or on options->image. Returns DONE, or FAILED after a message. */
int cost_run(const struct cost_options *options, const char *object);
/* Same for several objects, as contexts of one NIC (contexts.c). */
int cost_contexts__run(const struct cost_options *options, const char **objects, unsigned count);

#endif
