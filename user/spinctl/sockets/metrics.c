/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl list --metrics: prints the contexts (attached packet handlers) of the daemon spind in the format of Prometheus or OpenMetrics.
 * Called by list.c. Each metric appears once, with the values of all contexts, as the format requires.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "user/spinctl/sockets/find.h"
#include "user/spinctl/sockets/metrics.h"
#include "user/spinctl/spinctl.h"

/* A context and the labels of its lines. */
struct sample {
	char labels[256];
	struct spin_socket_info info;
};

struct samples {
	struct sample *sample;
	unsigned count;
};

#define METRIC(field) offsetof(struct spin_socket_info, field), sizeof(((struct spin_socket_info *)NULL)->field)

static const struct metric_row {
	const char *name, *type, *unit, *help;
	size_t offset, bytes; /* position and size of the integer */
	double per;           /* the value is divided by this; 0: by 1 */
} metrics[] = {
	{ "spin_context_handled_packets", "counter", "packets", "Packets that handlers ran for.", METRIC(handled) },
	{ "spin_context_left_packets", "counter", "packets", "Packets that were not the socket's, passed on untouched.", METRIC(left) },
	{ "spin_context_refused_packets", "counter", "packets", "Packets dropped as they would have gone to others.", METRIC(refused) },
	{ "spin_context_over_packets", "counter", "packets", "Packets dropped as handlers had had their part of the CPU, or of events.",
	  METRIC(over) },
	{ "spin_context_busy_seconds", "counter", "seconds", "Time of the handlers, on all CPUs.", METRIC(busy_ns), 1e9 },
	{ "spin_context_swaps", "counter", NULL, "How often the handlers were replaced.", METRIC(swaps) },
	{ "spin_context_map_bytes", "gauge", "bytes", "Memory of the context's maps.", METRIC(map_bytes) },
	{ "spin_context_attached", "gauge", NULL, "1 if the handlers get packets.", METRIC(attached) },
};

static double value_of(const struct metric_row *row, const struct spin_socket_info *info)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)info + row->offset, row->bytes); /* little-endian, like all targets */
	return (double)value / (row->per ? row->per : 1);
}

static int add(void *arg, const struct spin_socket_info *info)
{
	struct samples *all = arg;
	struct sample *sample = realloc(all->sample, (all->count + 1) * sizeof(*sample));

	if (!sample)
		return -ENOMEM;
	all->sample = sample;
	sample += all->count++;
	/* names are printable ASCII without quotes: spind refuses others */
	snprintf(sample->labels, sizeof(sample->labels), "id=\"%u\",name=\"", info->id);
	for (const char *c = info->name; *c; c++) {
		const size_t length = strlen(sample->labels);

		snprintf(sample->labels + length, sizeof(sample->labels) - length, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
	}
	snprintf(sample->labels + strlen(sample->labels), sizeof(sample->labels) - strlen(sample->labels), "\",handler=\"%s\",uid=\"%u\"",
		 info->handler, info->uid);
	sample->info = *info;
	return 0;
}

/* In OpenMetrics the name of a counter is the name of its samples without _total; in Prometheus' format both are equal. */
static void print_metric(const struct metric_row *row, const struct samples *all, int openmetrics)
{
	const char *suffix = strcmp(row->type, "counter") ? "" : "_total", *name_suffix = openmetrics ? "" : suffix;

	printf("# TYPE %s%s %s\n", row->name, name_suffix, row->type);
	if (openmetrics && row->unit)
		printf("# UNIT %s %s\n", row->name, row->unit);
	printf("# HELP %s%s %s\n", row->name, name_suffix, row->help);
	for (unsigned i = 0; i < all->count; i++)
		printf("%s%s{%s} %.9g\n", row->name, suffix, all->sample[i].labels, value_of(row, &all->sample[i].info));
}

int metrics__print(const char *broker, int openmetrics)
{
	struct samples all = { 0 };

	if (spin_socket__list(broker, add, &all)) {
		free(all.sample);
		return report_error("%s", spin_strerror_last());
	}
	for (size_t m = 0; m < sizeof(metrics) / sizeof(metrics[0]); m++)
		print_metric(&metrics[m], &all, openmetrics);
	if (openmetrics)
		printf("# EOF\n");
	free(all.sample);
	return DONE;
}
