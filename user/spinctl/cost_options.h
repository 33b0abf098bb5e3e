/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPINCTL_COST_OPTIONS_H
#define SPINCTL_COST_OPTIONS_H

#include "cost.h"

struct cost_options {
	const char *trace, *match, *target, *sizes, *gbps, *framing, *html, *trace_file, *budget, *payload, *payload_bytes, *api;
	struct fill_options fill;
	struct option_list compile;
	struct cost_made made;
	struct {
		const char *path, *header, *payload, *completion;
		struct option_list memory;
	} image;
	struct option_list sweep;
	unsigned datagrams, top, threads;
	int lines, json, advise;
	/* from the words above */
	unsigned size[COST_SIZES_MAX], size_count;
	double gbps_value, budget_value;
};

/* DONE, or USAGE after a message. */
int cost_options__check(struct cost_options *options, unsigned operands);
/* A report of the object, or of options->image: DONE or FAILED after a message. */
int cost_run(const struct cost_options *options, const char *object);

#endif
