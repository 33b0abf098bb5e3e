/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl cost with several handlers: runs them as contexts (handlers with their own packets and memory) of one modelled NIC, first each
 * alone, then all together, and reports how they slow each other down. Called by user/spinctl/cost.c.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <hwmodel/rules.h>

#include "user/cost/job.h"
#include "user/cost/pspin.h"
#include "user/cost/report.h"
#include "user/libspin/internal.h"
#include "user/libspin/root.h"
#include "user/tool/handler.h"
#include "user/tool/parse_enum.h"
#include "user/tool/notify.h"
#include "user/tool/fill.h"
#include "user/tool/error.h"

struct context {
	struct cost_options options; /* options of this handler */
	struct spin_rule rule;
	struct handler handler; /* the object that a source was compiled to */
	struct spin_object *object;
	struct cost_job job;
	struct cost_report report;
};

struct context_set {
	const struct cost_options *options;
	struct pspin_target *target;
	struct context *contexts;
	unsigned count;
};

/* --- handlers and their options --- */

/* Selects the option words of one handler. "2/NAME..." applies to the second handler, a word without a number to all. */
static int select_options(const struct option_list *from, unsigned number, unsigned count, const char *option, struct option_list *to)
{
	to->count = 0;
	to->items = calloc(from->count + 1, sizeof(*to->items));
	if (!to->items)
		return report_error("no memory");
	for (unsigned i = 0; i < from->count; i++) {
		const char *word = from->items[i];
		char *end = NULL;
		unsigned long handler = isdigit((unsigned char)*word) ? strtoul(word, &end, 10) : 0;

		if (!end || *end != '/')
			to->items[to->count++] = word;
		else if (!handler || handler > count)
			return report_error("--%s %s: it is of handler %lu, and there are %u", option, word, handler, count);
		else if (handler == number)
			to->items[to->count++] = end + 1;
	}
	return DONE;
}

static int select_fill(const struct fill_options *from, unsigned number, unsigned count, struct fill_options *to)
{
	if (select_options(&from->sets, number, count, "set", &to->sets) ||
	    select_options(&from->inserts, number, count, "insert", &to->inserts) ||
	    select_options(&from->files, number, count, "insert-from", &to->files))
		return FAILED;
	return DONE;
}

/* Opens the handler's object. If path is a source file, compiles it first. */
static int open_handler(struct context *c, const char *path)
{
	const struct handler_open_opts wants = { .compile = &c->options.compile };
	struct cost_program *program = &c->job.program;
	const char *dot = strrchr(path, '.'), *object = path;
	void *pspin_elf = NULL;
	int status = DONE;

	program->path = path;
	if (dot && !strcmp(dot, ".c")) {
		signals__watch();
		status = handler__open(&c->handler, path, &wants);
		program->source = path;
		object = c->handler.object;
	} else {
		status = cost_pspin__find(&c->options, path, program, &pspin_elf);
		if (!status && pspin_elf)
			status = report_error("%s is compiled with --api pspin: such a program has the NIC for itself", path);
		free(pspin_elf);
	}
	if (status)
		return status;
	if (spin_object__open(object, &c->object))
		return report_error("%s", spin_strerror_last());
	program->object = c->object;
	program->elf = spin_object__image(c->object, &program->elf_bytes);
	return DONE;
}

static int open_context(struct context_set *set, unsigned i, const char *path)
{
	struct context *c = &set->contexts[i];
	const struct cost_options *o = set->options;

	c->options = *o;
	c->options.made.payload_bytes = o->payload_of[i];
	c->options.fill = (struct fill_options){ 0 };
	c->job = (struct cost_job){ .options = &c->options, .report = &c->report };
	c->job.program.target = set->target;
	c->job.program.rule = &c->rule;
	c->job.program.fill = &c->options.fill;
	c->job.program.watchdog = o->watchdog;
	if (parse_enum__match(o->match.items[i], NULL, &c->rule))
		return report_error("%s", spin_strerror_last());
	if (select_fill(&o->fill, i + 1, set->count, &c->options.fill) || open_handler(c, path))
		return FAILED;
	cost_program__describe(&c->job.program, &c->report);
	c->report.trace = o->trace;
	c->report.offered_gbps = o->gbps_value;
	c->report.shows_lines = o->lines;
	c->report.contexts = set->count;
	c->report.context = i + 1;
	return DONE;
}

static int check_rules(const struct context_set *set)
{
	for (unsigned i = 0; i < set->count; i++)
		for (unsigned k = 0; k < i; k++)
			if (rules__overlap(&set->contexts[k].rule, &set->contexts[i].rule))
				return report_error("a packet can match both the rule of handler %u (%s) and that of handler %u (%s): give "
						    "rules that exclude each other, by a port or an address",
						    k + 1, set->contexts[k].report.rule, i + 1, set->contexts[i].report.rule);
	return DONE;
}

static int check_kinds(const struct context_set *set)
{
	for (unsigned i = 1; i < set->count && !set->options->trace; i++) {
		const struct context *a = &set->contexts[0], *b = &set->contexts[i];

		if (a->report.takes_messages != b->report.takes_messages || a->report.takes_segments != b->report.takes_segments)
			return report_error("%s takes %s and %s %s: packets of both kinds can only be those of a capture, --pcap",
					    a->job.program.path, cost_packets__name(&a->report), b->job.program.path,
					    cost_packets__name(&b->report));
	}
	return DONE;
}

static int open_source(struct context *c)
{
	const struct cost_options *o = &c->options;
	struct cost_source_options source = {
		.trace = o->trace,
		.made = o->made,
		.rule = &c->rule,
		.takes_messages = c->report.takes_messages,
		.takes_segments = c->report.takes_segments,
	};

	if (cost_job__check_packets(&c->job, c->job.program.path))
		return FAILED;
	if (o->datagrams) {
		source.made.messages = o->datagrams;
		source.made.packets = 1;
	}
	c->report.made = source.made;
	c->job.source = cost_source__open(&source);
	return c->job.source ? DONE : FAILED;
}

/* --- runs --- */

/* Runs the context alone on a NIC. Measures cycles per packet and the flow completion time. */
static int run_alone(struct context *c, uint64_t *flow_ps)
{
	struct cost_together t = { .programs = { &c->job.program },
				   .weights = { 1 },
				   .count = 1,
				   .sources = { c->job.source },
				   .source_count = 1,
				   .gbps = c->options.gbps_value };
	struct cost_view view;
	int status = cost_report__alone(&c->job);

	if (!status && !c->report.main.alone.handled)
		status =
			report_error("%s: no handler ran, since no packet is its own; its rule is %s", c->job.program.path, c->report.rule);
	if (!status)
		status = cost_source__rewind(c->job.source);
	if (status)
		return status;
	t.views[0] = &view;
	t.collectors[0] = cost_collector__new(&c->job.program);
	status = t.collectors[0] ? cost_pass__together(&t) : FAILED;
	if (!status)
		*flow_ps = cost_collector__flow_ps(t.collectors[0]);
	cost_collector__free(t.collectors[0]);
	return status;
}

/* Jain's index: (sum of x)^2 / (n * sum of x^2). */
static double jain(const double *x, unsigned n)
{
	double sum = 0, squares = 0;

	for (unsigned i = 0; i < n; i++) {
		sum += x[i];
		squares += x[i] * x[i];
	}
	return squares > 0 ? sum * sum / (n * squares) : 1;
}

/* Compares the flows until the first of them ends: what share of HPU time each had, and how much slower it was than alone. */
static void compute_sharing(struct cost_sharing *s, struct cost_collector *const *collectors, unsigned hpus)
{
	double times[COST_CONTEXTS_MAX], speeds[COST_CONTEXTS_MAX];
	uint64_t busy = 0;

	for (unsigned i = 0; i < s->count; i++) {
		s->flows[i].done_ps = cost_collector__flow_ps(collectors[i]);
		if (!i || cost_collector__last_ps(collectors[i]) < s->until_ps) {
			s->until_ps = cost_collector__last_ps(collectors[i]);
			s->first = i;
		}
	}
	for (unsigned i = 0; i < s->count; i++) {
		struct cost_flow *f = &s->flows[i];

		f->hpu_ps = cost_collector__hpu_ps(collectors[i], s->until_ps);
		busy += f->hpu_ps;
		times[i] = (double)f->hpu_ps / f->weight;
		speeds[i] = f->done_ps ? (double)f->alone_ps / (double)f->done_ps : 0;
	}
	s->jain_hpu_time = jain(times, s->count);
	s->jain_speed = jain(speeds, s->count);
	s->hpus_busy = s->until_ps ? (double)busy / ((double)s->until_ps * hpus) : 0;
}

static void finalize(struct context *c, const struct cost_collector *collector)
{
	struct cost_throughput *t = &c->report.main.throughput;

	t->packets = cost_collector__done(collector);
	t->is_steady = cost_collector__rate(collector, &t->packets_per_us, &t->gbps);
	t->gbps *= 8e-3; /* bytes per us to Gbit/s */
	cost_collector__occupancy(collector, &c->report.occupancy);
	cost_rates(&c->report, &c->report.main);
	cost_fits(&c->report);
}

/* Opens one source for a capture, whose packets keep their order, or one per handler, whose generated packets alternate. */
static int open_sources(const struct context_set *set, struct cost_together *t)
{
	const struct cost_source_options trace = { .trace = set->options->trace, .rule = &set->contexts[0].rule };

	for (unsigned i = 0; i < set->count && !trace.trace; i++) {
		t->sources[t->source_count++] = set->contexts[i].job.source;
		if (cost_source__rewind(t->sources[i]))
			return FAILED;
	}
	if (trace.trace)
		t->sources[t->source_count++] = cost_source__open(&trace);
	return t->sources[0] ? DONE : FAILED;
}

/* Runs all contexts on one machine and computes what they took from each other. */
static int run_together(struct context_set *set, struct cost_sharing *s)
{
	struct cost_together t = { .count = set->count, .gbps = set->options->gbps_value };
	int status = open_sources(set, &t);

	for (unsigned i = 0; i < set->count && !status; i++) {
		struct context *c = &set->contexts[i];

		t.programs[i] = &c->job.program;
		t.weights[i] = set->options->weight[i];
		t.views[i] = &c->report.main.loaded;
		t.collectors[i] = cost_collector__new(&c->job.program);
		if (t.collectors[i])
			cost_collector__keep_tasks(t.collectors[i]);
		else
			status = FAILED;
	}
	if (!status)
		status = cost_pass__together(&t);
	for (unsigned i = 0; i < set->count && !status; i++)
		finalize(&set->contexts[i], t.collectors[i]);
	if (!status)
		compute_sharing(s, t.collectors, set->contexts[0].report.hpus * set->contexts[0].report.main.loaded.traffic.hpu_threads);
	for (unsigned i = 0; i < set->count; i++)
		cost_collector__free(t.collectors[i]);
	if (set->options->trace)
		cost_source__close(t.sources[0]);
	return status;
}

static const char *scheduler_name(const struct pspin_target *target)
{
	struct pspin_parameter p;
	uint64_t value = 0;

	pspin_target__get(target, "scheduler", &value);
	for (unsigned i = 0; !pspin_target__parameter(i, &p); i++)
		if (!strcmp(p.name, "scheduler"))
			return p.names[value];
	return "";
}

static int run_set(struct context_set *set)
{
	struct cost_sharing sharing = { .count = set->count,
					.target = pspin_target__name(set->target),
					.scheduler = scheduler_name(set->target),
					.assumptions = pspin__shared_assumptions() };
	int status = check_rules(set) || check_kinds(set) ? FAILED : DONE;

	if (!status && set->options->weights && strcmp(sharing.scheduler, "fair_hpu_time"))
		status = report_error("--weights: target %s has scheduler = %s, which knows no weights; set scheduler = fair_hpu_time in "
				      "a target file",
				      sharing.target, sharing.scheduler);

	for (unsigned i = 0; i < set->count && !status; i++)
		status = open_source(&set->contexts[i]);
	for (unsigned i = 0; i < set->count && !status; i++) {
		sharing.flows[i] = (struct cost_flow){ .report = &set->contexts[i].report, .weight = set->options->weight[i] };
		status = run_alone(&set->contexts[i], &sharing.flows[i].alone_ps);
	}
	if (!status)
		status = run_together(set, &sharing);
	if (!status && set->options->html)
		status = cost_sharing__html(&sharing, set->options->html);
	if (!status && set->options->json)
		cost_sharing__json(&sharing);
	else if (!status)
		cost_sharing__text(&sharing);
	return status;
}

static void close_context(struct context *c)
{
	cost_source__close(c->job.source);
	cost_lines__free(&c->report.lines);
	cost_lines__free(&c->report.worst);
	if (c->object)
		spin_object__close(c->object);
	handler__close(&c->handler);
	options__free_list(&c->options.fill.sets);
	options__free_list(&c->options.fill.inserts);
	options__free_list(&c->options.fill.files);
}

int cost_contexts__run(const struct cost_options *options, const char **objects, unsigned count)
{
	struct context_set set = { .options = options, .count = count, .contexts = calloc(count, sizeof(*set.contexts)) };
	char reason[512] = "";
	int status = DONE;

	if (!set.contexts)
		return report_error("no memory");
	if (pspin_target__read(options->target, &set.target, reason, sizeof(reason)))
		status = report_error("--target: %s", reason);
	for (unsigned i = 0; i < count && !status; i++)
		status = open_context(&set, i, objects[i]);
	if (!status)
		status = run_set(&set);
	for (unsigned i = 0; i < count; i++)
		close_context(&set.contexts[i]);
	free(set.contexts);
	pspin_target__free(set.target);
	return status;
}

/* --- the report of several contexts: each one's share and completion time, then the report of each --- */

double cost_sharing__share(const struct cost_sharing *s, unsigned i)
{
	double all = 0;

	for (unsigned k = 0; k < s->count; k++)
		all += (double)s->flows[k].hpu_ps;
	return all > 0 ? (double)s->flows[i].hpu_ps / all : 0;
}

double cost_sharing__slowdown(const struct cost_flow *f)
{
	return f->alone_ps ? (double)f->done_ps / (double)f->alone_ps : 0;
}

static void flow_row(const struct cost_sharing *s, unsigned i)
{
	const struct cost_flow *f = &s->flows[i];
	const struct cost_view *loaded = &f->report->main.loaded;

	printf("%u %-15s %9" PRIu64 " %10.1f %10.1f %8.2f %7u %8.1f %% %10.1f %10.1f   %s\n", i + 1, f->report->handler, loaded->handled,
	       (double)f->done_ps / 1e6, (double)f->alone_ps / 1e6, cost_sharing__slowdown(f), f->weight, 100 * cost_sharing__share(s, i),
	       (double)loaded->latency_ps.median / 1e3, (double)loaded->latency_ps.p99 / 1e3, f->report->rule);
}

void cost_sharing__text(const struct cost_sharing *s)
{
	printf("%u contexts on %s, scheduler %s\n\n", s->count, s->target, s->scheduler);
	printf("%-17s %9s %10s %10s %8s %7s %10s %10s %10s\n", "context", "packets", "flow us", "alone us", "slowdown", "weight",
	       "HPU time", "median ns", "p99 ns");
	for (unsigned i = 0; i < s->count; i++)
		flow_row(s, i);
	printf("\nflow: completion time, from a context's first packet being offered to its last one being done with\n"
	       "HPU time: up to when the first flow was done, that of %u after %.1f us; HPUs were busy %.0f %% of that time\n"
	       "Jain's index: %.3f of HPU time divided by weight up to then, %.3f of speed (flow alone / flow here)\n",
	       s->first + 1, (double)s->until_ps / 1e6, 100 * s->hpus_busy, s->jain_hpu_time, s->jain_speed);
	printf("assumed of a NIC that contexts share:\n");
	for (const char *const *a = s->assumptions; *a; a++)
		printf("  %s\n", *a);
	for (unsigned i = 0; i < s->count; i++) {
		printf("\n--- context %u of %u; under load all are on the NIC ---\n", i + 1, s->count);
		cost_text__print(s->flows[i].report);
	}
}

void cost_sharing__json(const struct cost_sharing *s)
{
	struct json j;

	json_begin(&j, stdout, 1);
	json_object(&j, NULL);
	json_object(&j, "sharing");
	json_string(&j, "target", s->target);
	json_string(&j, "scheduler", s->scheduler);
	json_uint(&j, "first_flow_done_ps", s->until_ps);
	json_uint(&j, "first_flow_done_context", s->first + 1);
	json_double(&j, "hpus_busy_until_then", s->hpus_busy);
	json_double(&j, "jains_index_of_hpu_time_by_weight", s->jain_hpu_time);
	json_double(&j, "jains_index_of_speed", s->jain_speed);
	json_array(&j, "assumptions");
	for (const char *const *a = s->assumptions; *a; a++)
		json_string(&j, NULL, *a);
	json_array_end(&j);
	json_object_end(&j);
	json_array(&j, "contexts");
	for (unsigned i = 0; i < s->count; i++) {
		const struct cost_flow *f = &s->flows[i];

		json_object(&j, NULL);
		json_uint(&j, "context", i + 1);
		json_uint(&j, "weight", f->weight);
		json_uint(&j, "flow_completion_ps", f->done_ps);
		json_uint(&j, "flow_completion_alone_ps", f->alone_ps);
		json_double(&j, "slowdown", cost_sharing__slowdown(f));
		json_uint(&j, "hpu_time_until_first_flow_done_ps", f->hpu_ps);
		json_double(&j, "share_of_hpu_time", cost_sharing__share(s, i));
		json_object(&j, "report");
		cost_json__report(&j, f->report);
		json_object_end(&j);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}
