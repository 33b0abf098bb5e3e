/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs a handler on a given number of the model's HPUs, and extracts the cycles of its timed part (from the label FUNCTION_from on, without
 * the return). Shared by the files that define the rows of `make accuracy`; declared and described in accuracy.h. Caches are warmed before
 * each run.
 */
#include <stdio.h>

#include "tests/accuracy/accuracy.h"

#define RETURN_CYCLES 2

void values__add(struct values *values, double v)
{
	if (values->count == VALUES_MAX)
		machine__fail("more than %d values", VALUES_MAX);
	values->v[values->count++] = v;
}

double cycles_before(const struct machine *machine, const char *function)
{
	char from[80];

	snprintf(from, sizeof(from), "%s_from", function);
	/* each instruction has 4 bytes and takes one cycle */
	return (machine__symbol(machine, from) - machine__symbol(machine, function)) / 4;
}

double body_from(const struct machine *machine, const struct ended *ended, const char *function)
{
	return (double)(ended->task.returned - ended->task.first) - cycles_before(machine, function) - RETURN_CYCLES;
}

double timed_body(struct machine *machine, const char *function)
{
	run_at_once(machine, function, 1, 1, 64);
	return body_from(machine, machine__task(machine, 0, SOC_PAYLOAD), function);
}

unsigned add_packets(struct packet *packets, unsigned n, uint32_t message, const struct soc_context *context, unsigned bytes,
		     unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		packets[n++] = (struct packet){ message, context, bytes, i + 1 == count };
	return n;
}

/* Runs one message per cluster; packets of the messages alternate in runs of `each`. */
static void run(struct machine *machine, const char *function, unsigned hpus, unsigned clusters, unsigned bytes, unsigned each)
{
	struct packet packets[64];
	const struct soc_context *context;

	machine__warm(machine, function);
	context = machine__context(machine, NULL, function, NULL, WHOLE);
	for (unsigned i = 0; i < hpus; i++)
		packets[i] = (struct packet){ i / each % clusters, context, bytes, i + clusters * each >= hpus && (i + 1) % each == 0 };
	machine__group(machine, packets, hpus);
	for (unsigned i = 0; i < hpus; i++) {
		const struct ended *ended = machine__task(machine, i, SOC_PAYLOAD);

		if (ended->cluster != i / each % clusters)
			machine__fail("packet %u runs on cluster %u", i, ended->cluster);
	}
}

void run_at_once(struct machine *machine, const char *function, unsigned hpus, unsigned clusters, unsigned bytes)
{
	run(machine, function, hpus, clusters, bytes, 1);
}

void run_by_message(struct machine *machine, const char *function, unsigned hpus, unsigned clusters, unsigned bytes)
{
	run(machine, function, hpus, clusters, bytes, hpus / clusters);
}
