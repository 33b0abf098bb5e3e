/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A report from its options: packets through the model, in each way and size, and what is printed of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "cost_advise.h"
#include "cost_sweep.h"
#include "libspin/internal.h"
#include "stop.h"

struct job {
	const struct cost_options *options;
	struct cost_program program;
	struct cost_source *source;
	struct cost_report *report;
};

/* Cycles alone, by line; then the lines of the packet that took most. */
static int run_alone(struct job *job)
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
		status = cost_pass__worst(&job->program, job->source, alone->worst_packet, &profile);
		if (!status)
			status = cost_profile__sort(&job->program, &profile, 5, &r->worst);
	}
	cost_profile__close(&profile);
	return status;
}

static int run_loaded(struct job *job, struct cost_trace_writer *writer, struct cost_occupancy *occupancy,
		      struct cost_point *p)
{
	struct cost_report *r = job->report;

	if (cost_source__rewind(job->source))
		return FAILED;
	if (!r->takes_messages || !r->trace || r->is_image) /* messages of a trace have been: they do not come again */
		cost_source__repeat(job->source, COST_LOADED_PACKETS);
	return cost_pass__loaded(&job->program, job->source, job->options->gbps_value, writer, &p->loaded, &p->throughput,
				 occupancy);
}

static int run_main(struct job *job)
{
	struct cost_trace_writer *writer = NULL;
	struct cost_report *r = job->report;
	uint64_t clusters, hpus;
	int status = run_alone(job);

	if (status || !r->main.alone.handled)
		return status;
	pspin_target__get(job->program.target, "clusters", &clusters);
	pspin_target__get(job->program.target, "hpus", &hpus);
	status = cost_pass__cold(&job->program, job->source, &r->main.cold);
	if (!status && job->options->trace_file) {
		writer = cost_trace_writer__open(job->options->trace_file, r, (unsigned)clusters, (unsigned)hpus);
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

static int run_size(struct job *job, unsigned bytes)
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

static int miss(const struct cost_report *r, const struct cost_point *p)
{
	const struct cost_throughput *t = &p->throughput;

	if (!p->alone.handled || t->gbps >= r->budget_gbps * 0.995)
		return DONE;
	return complain("%s misses %g Gbit/s at packets of %.0f bytes: %.1f Gbit/s, %.1f %% short, bound by %s", r->handler,
			r->budget_gbps, p->alone.packet_bytes_mean, t->gbps,
			100 * (1 - t->gbps / r->budget_gbps), cost_resource_name(t->bound));
}

/* Of the packets given, and of sizes that were asked for. */
static int check_budget(const struct job *job)
{
	const struct cost_report *r = job->report;
	int status;

	if (!job->options->budget)
		return DONE;
	if (!r->main.alone.handled)
		return complain("--budget: no handler ran; the rule is %s", r->rule);
	status = miss(r, &r->main);
	for (unsigned i = 0; job->options->sizes && i < r->point_count; i++)
		status = miss(r, &r->points[i]) || status;
	return status;
}

static int report(struct job *job)
{
	const struct cost_options *o = job->options;
	struct cost_report *r = job->report;
	int status = run_main(job);

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

static int check_packets(const struct job *job, const char *path)
{
	const struct cost_options *o = job->options;
	const struct cost_report *r = job->report;

	if (o->made.messages && !r->takes_messages)
		return complain("%s takes datagrams, not messages: make them with --datagrams, or give a trace with --pcap", path);
	if (o->datagrams && r->takes_messages)
		return complain("%s takes messages, not datagrams: make them with --messages", path);
	if (o->sizes && o->size_count && o->trace && r->takes_messages)
		return complain("--sizes: packets of captured messages keep their size; make messages with --messages");
	return DONE;
}

static int run_sweep(const struct job *job, const struct cost_source_options *source)
{
	struct cost_sweep sweep = { .program = &job->program, .source = source, .base = job->report };
	const struct cost_options *o = job->options;
	char why[512];
	int status;

	if (cost_sweep__parse(&sweep, &o->sweep, why, sizeof(why)))
		status = complain("%s", why);
	else
		status = cost_sweep__run(&sweep, o->threads);
	if (!status && o->html)
		status = cost_sweep__html(&sweep, o->html);
	if (!status && o->json)
		cost_sweep__json(&sweep);
	else if (!status)
		cost_sweep__text(&sweep);
	cost_sweep__free(&sweep);
	return status;
}

static int run_program(struct job *job)
{
	const struct cost_options *o = job->options;
	struct cost_report *r = job->report;
	struct cost_source_options source = { .trace = o->trace, .made = o->made, .rule = job->program.rule };
	int status;

	cost_program__describe(&job->program, r);
	r->trace = o->trace;
	r->offered_gbps = o->gbps_value;
	r->budget_gbps = o->budget_value;
	r->shows_lines = o->lines;
	if (check_packets(job, job->program.path))
		return FAILED;
	if (o->datagrams) {
		source.made.messages = o->datagrams;
		source.made.packets = 1;
	}
	r->made = source.made;
	source.takes_messages = r->takes_messages && !r->is_image;
	source.is_raw = r->is_image && job->program.image.framing == PSPIN_FRAMING_RAW;
	if (o->sweep.count)
		return run_sweep(job, &source);
	job->source = cost_source__open(&source);
	if (!job->source)
		status = FAILED;
	else
		status = o->advise ? cost_advise(&job->program, job->source, o, r) : report(job);
	cost_source__close(job->source);
	cost_lines__free(&r->lines);
	cost_lines__free(&r->worst);
	return status;
}

void *cost_read_file(const char *path, size_t *bytes)
{
	FILE *from = fopen(path, "re");
	char *out = NULL, *more;
	size_t room = 0;

	*bytes = 0;
	while (from && !ferror(from) && !feof(from)) {
		if (*bytes == room) {
			more = realloc(out, room = room ? room * 2 : 65536);
			if (!more)
				break;
			out = more;
		}
		*bytes += fread(out + *bytes, 1, room - *bytes, from);
	}
	if (from && feof(from)) {
		fclose(from);
		return out;
	}
	complain("cannot read %s: %s", path, strerror(errno));
	if (from)
		fclose(from);
	free(out);
	return NULL;
}

static int run_image(struct job *job)
{
	const struct cost_options *o = job->options;
	struct cost_program *program = &job->program;
	void *elf = cost_read_file(o->image.path, &program->elf_bytes);
	int status;

	if (!elf)
		return FAILED;
	program->elf = elf;
	program->path = o->image.path;
	program->image = (struct pspin_image){ .elf = elf, .elf_bytes = program->elf_bytes, .header = o->image.header,
					       .payload = o->image.payload, .completion = o->image.completion,
					       .framing = (enum pspin_framing)pspin_framing__find(o->framing),
					       .bytes_in_l1 = SPIN_WHOLE_PACKET };
	status = run_program(job);
	free(elf);
	return status;
}

static int run_fat(struct job *job, const char *path)
{
	struct cost_program *program = &job->program;
	struct spin_object *object;
	int status;

	if (spin_object__open(path, &object))
		return complain("%s", spin_strerror_last());
	program->object = object;
	program->path = path;
	program->elf = spin_object__image(object, &program->elf_bytes);
	status = run_program(job);
	spin_object__close(object);
	return status;
}

/* A source is compiled first. */
static int run_object(struct job *job, const char *path)
{
	const struct handler_wants wants = { .compile = &job->options->compile };
	const char *dot = strrchr(path, '.');
	struct handler handler;
	int status;

	if (!dot || strcmp(dot, ".c"))
		return run_fat(job, path);
	stop__watch();
	status = handler__open(&handler, path, &wants);
	job->program.source = path;
	if (!status)
		status = run_fat(job, handler.object);
	handler__close(&handler);
	return status;
}

int cost_run(const struct cost_options *options, const char *object)
{
	struct cost_report *report = calloc(1, sizeof(*report));
	struct job job = { .options = options, .program.fill = &options->fill, .report = report };
	struct pspin_target *target = NULL;
	struct spin_rule rule;
	char why[512] = "";
	int status;

	if (!report)
		return complain("no memory");
	if (pspin_target__read(options->target, &target, why, sizeof(why)))
		status = complain("--target: %s", why);
	else if (choice__match(options->match, &rule))
		status = complain("%s", spin_strerror_last());
	else {
		job.program.target = target;
		job.program.rule = &rule;
		status = object ? run_object(&job, object) : run_image(&job);
	}
	pspin_target__free(target);
	free(report);
	return status;
}
