/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl cost --compare, the row of this machine: loads the handler's XDP program and runs it on the report's packets with
 * BPF_PROG_TEST_RUN, without attaching it to an interface. Called by compare.c. If the user may not load it, the row says so.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "user/cost/compare.h"
#include "user/tool/error.h"

#define FRAMES_MAX 8
#define TRIES      5     /* of each frame; the fastest counts, since disturbances only slow a run down */
#define RUNS       20000 /* repetitions in one test run; its overhead is then below 0.1 ns each */
#define OUT_BYTES  16384

static int set(void *arg, const char *assignment)
{
	return spin_ctx__set(arg, assignment);
}

static int insert(void *arg, const char *table, const char *fields)
{
	return spin_ctx__table_insert(arg, table, fields);
}

/* Returns the mean ns of `repeat` runs, or NAN. *action: the verdict of the last run. */
static double run(int fd, const struct cost_packet *packet, unsigned repeat, uint32_t *action)
{
	static uint8_t out[OUT_BYTES];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet->frame, .data_size_in = packet->bytes, .data_out = out,
		    .data_size_out = sizeof(out), .repeat = (int)repeat);

	if (bpf_prog_test_run_opts(fd, &opts))
		return NAN;
	*action = opts.retval;
	return opts.duration;
}

/* Returns the frame's time in ns, or NAN if it cannot be repeated because the handler's output frame gets another verdict. */
static double run_frame(int fd, const struct cost_packet *packet)
{
	const unsigned repeat = RUNS;
	uint32_t first = 0, last = 0;
	double best = run(fd, packet, 1, &first);

	best = isnan(best) ? NAN : INFINITY;
	for (unsigned i = 0; i < TRIES && !isnan(best); i++) {
		double ns = run(fd, packet, repeat, &last);

		best = isnan(ns) || last != first ? NAN : fmin(best, ns);
	}
	return best;
}

/* Runs each packet again and again in the kernel. One on which the verdict changes is left out. */
static int measure(const struct compare *c, int fd, struct compare_row *row)
{
	struct cost_packet packet;
	double sum = 0;
	unsigned done = 0, tried = 0;
	int rc = 0;

	while (tried < FRAMES_MAX && (rc = cost_source__next(c->job->source, &packet)) == 1) {
		double ns = run_frame(fd, &packet);

		tried++;
		if (isnan(ns))
			continue;
		sum += ns;
		done++;
	}
	if (rc == FAILED_SOURCE)
		return FAILED;
	if (!done)
		return compare__set_reason(
			row, "no packet can be run again and again: the handler gives another verdict on what it leaves of it");
	row->work = row->ns_per_packet = sum / done;
	row->work_unit = "ns";
	row->engines = 1;
	compare__bound(row, 1e3 / row->ns_per_packet, "one CPU; without a driver, with the program's data in its caches");
	return DONE;
}

int compare_xdp(const struct compare *c, struct compare_row *row)
{
	const struct cost_program *program = &c->job->program;
	struct spin_ctx *ctx = NULL;
	int status;

	row->how = COMPARE_MEASURED;
	compare__check(row, "XDP_DROP with a driver, x86 at 3.7 GHz: the row is without one", "hXDP 5.2.2", "Mpps", 38, NAN);
	if (!program->object)
		return compare__set_reason(row, "a program for PsPIN has no eBPF program");
	if (c->job->report->takes_messages)
		return compare__set_reason(
			row, "a message's packet that is run again is a duplicate: see spinctl run --cost, which measures live");
	if (c->job->report->takes_segments)
		return compare__set_reason(row,
					   "a segment that is run again was accepted before: see spinctl run --cost, which measures live");
	if (spin_ctx__create(NULL, program->object, program->rule, &ctx))
		return compare__set_reason(row, "it cannot be loaded here: %s", spin_strerror_last());
	{
		const struct fill_target to = { .arg = ctx, .set = set, .insert = insert };

		status = fill__apply(program->fill, &to);
	}
	if (!status)
		status = cost_source__rewind(c->job->source);
	if (!status)
		status = measure(c, spin_ctx__program_fd(ctx), row);
	spin_ctx__destroy(ctx);
	return status;
}
