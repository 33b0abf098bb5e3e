/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Makes a report of spinctl cost: runs the packets through the modelled NIC alone, cold (empty caches) and under load, and again in each
 * size, then prints the results as text, JSON and HTML. Called by measure.c.
 */
#include "user/cost/job.h"
#include "user/cost/options.h"
#include "user/tool/error.h"

/* Measures packets alone, with cycles by source line. Then profiles the packet that took the most cycles. */
static int run_alone(struct cost_job *job)
{
	struct cost_report *r = job->report;
	struct cost_view *alone = &r->main.alone;
	struct rv32_profile profile;
	int status = cost_profile__open(&job->program, &profile);

	if (!status)
		status = cost_pass__alone(&job->program, job->source, &profile, alone);
	if (!status)
		status = cost_profile__sort(&job->program, &profile, job->options->top, &r->lines);
	if (!status)
		status = cost_xpulp__find(&job->program, &profile, &r->xpulp);
	if (!status)
		cost_source__counts(job->source, &r->frames, &r->cut_short);
	if (!status && alone->handled) {
		cost_profile__clear(&profile);
		status = cost_pass__worst(&job->program, job->source, alone->slowest_packet, &profile);
		if (!status)
			status = cost_profile__sort(&job->program, &profile, 5, &r->worst);
	}
	cost_profile__close(&profile);
	return status;
}

static int run_loaded(struct cost_job *job, struct cost_trace_writer *writer, struct cost_occupancy *occupancy, struct cost_point *p)
{
	struct cost_report *r = job->report;

	if (cost_source__rewind(job->source))
		return FAILED;
	if (cost_packets__may_repeat(r))
		cost_source__repeat(job->source, COST_LOADED_PACKETS);
	return cost_pass__loaded(&job->program, job->source, job->options->gbps_value, writer, &p->loaded, &p->throughput, occupancy);
}

int cost_report__alone(struct cost_job *job)
{
	struct cost_report *r = job->report;
	int status = run_alone(job);

	if (status || !r->main.alone.handled)
		return status;
	return cost_pass__cold(&job->program, job->source, &r->main.cold);
}

int cost_report__measure(struct cost_job *job)
{
	struct cost_trace_writer *writer = NULL;
	struct cost_report *r = job->report;
	uint64_t clusters, hpus, threads;
	int status = cost_report__alone(job);

	if (status || !r->main.alone.handled)
		return status;
	pspin_target__get(job->program.target, "clusters", &clusters);
	pspin_target__get(job->program.target, "hpus", &hpus);
	pspin_target__get(job->program.target, "hpu_threads", &threads);
	if (job->options->trace_file) {
		writer = cost_trace_writer__open(job->options->trace_file, r, (unsigned)clusters, (unsigned)(hpus * threads));
		status = writer ? DONE : FAILED;
	}
	if (!status)
		status = run_loaded(job, writer, &r->occupancy, &r->main);
	if (writer)
		status = cost_trace_writer__close(writer, !status) || status;
	if (!status)
		cost_rates(r, &r->main);
	return status;
}

static int run_size(struct cost_job *job, unsigned bytes)
{
	struct cost_point *p = &job->report->points[job->report->point_count];
	int status = cost_source__resize(job->source, bytes);

	if (!status)
		status = cost_pass__alone(&job->program, job->source, NULL, &p->alone);
	if (!status && p->alone.handled)
		status = cost_pass__cold(&job->program, job->source, &p->cold);
	if (!status && p->alone.handled)
		status = run_loaded(job, NULL, NULL, p);
	if (status)
		return status;
	p->size = bytes;
	if (p->alone.handled) {
		cost_rates(job->report, p);
		job->report->point_count++;
	}
	return DONE;
}

static int check_rate(const struct cost_report *r, const struct cost_point *p)
{
	const struct cost_throughput *t = &p->throughput;
	char bound[COST_BOUND_TEXT];

	if (!p->alone.handled || t->gbps >= r->budget_gbps * COST_MET)
		return DONE;
	return report_error("%s misses %g Gbit/s at packets of %.0f bytes: %.1f Gbit/s, %.1f %% short, bound by %s", r->handler,
			    r->budget_gbps, p->alone.packet_bytes_mean, t->gbps, 100 * (1 - t->gbps / r->budget_gbps),
			    cost_bound_name(t, bound));
}

/* Checks the budget for the given packets and for the requested sizes. */
static int check_budget(const struct cost_job *job)
{
	const struct cost_report *r = job->report;
	int status;

	if (!job->options->budget)
		return DONE;
	if (!r->main.alone.handled)
		return report_error("--budget: no handler ran; the rule is %s", r->rule);
	status = check_rate(r, &r->main);
	for (unsigned i = 0; job->options->sizes && i < r->point_count; i++)
		status = check_rate(r, &r->points[i]) || status;
	return status;
}

int cost_report__make(struct cost_job *job)
{
	const struct cost_options *o = job->options;
	struct cost_report *r = job->report;
	int status = cost_report__measure(job);

	for (unsigned i = 0; i < o->size_count && !status; i++)
		status = run_size(job, o->size[i]);
	if (status)
		return status;
	cost_fits(r);
	if (o->html)
		status = cost_html__write(r, o->html);
	if (status)
		return status;
	if (o->json)
		cost_json__print(r);
	else
		cost_text__print(r);
	return check_budget(job);
}
