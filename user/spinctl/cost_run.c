/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* From options to what runs: a fat object, a source or a foreign program; a report, a sweep or advice. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/spinctl/choice.h"
#include "user/spinctl/cost_advise.h"
#include "user/spinctl/cost_job.h"
#include "user/spinctl/cost_pspin.h"
#include "user/spinctl/cost_sweep.h"
#include "user/libspin/internal.h"
#include "user/spinctl/stop.h"

int cost_job__check_packets(const struct cost_job *job, const char *path)
{
	const struct cost_options *o = job->options;
	const struct cost_report *r = job->report;

	if (o->made.messages && !r->takes_messages)
		return complain("%s takes datagrams, not messages: make them with --datagrams, or give a trace with --pcap", path);
	if (o->datagrams && r->takes_messages)
		return complain("%s takes messages, not datagrams: make them with --messages", path);
	if (!o->trace && !r->is_image && cost_is_icmp(job->program.rule) && o->made.payload_bytes < COST_ICMP_LEAST)
		return complain("--payload %u: an ICMP message, which is the payload, has %u bytes at least", o->made.payload_bytes,
				COST_ICMP_LEAST);
	if (!o->trace && job->program.rule->has_eom)
		return complain("packets of a rule with eom are not made: give a capture with --pcap");
	if (o->sizes && o->size_count && o->trace && r->takes_messages)
		return complain("--sizes: packets of captured messages keep their size; make messages with --messages");
	return DONE;
}

static int run_sweep(const struct cost_job *job, const struct cost_source_options *source)
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

/* Made ones; --advise makes what the handler takes. */
static int is_datagrams(const struct cost_options *o, const struct cost_report *r)
{
	return o->datagrams || (!o->trace && !o->made.messages && !r->takes_messages);
}

static int run_program(struct cost_job *job)
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
	if (cost_job__check_packets(job, job->program.path))
		return FAILED;
	if (is_datagrams(o, r)) {
		source.made.messages = o->datagrams ? o->datagrams : ADVICE_DATAGRAMS;
		source.made.packets = 1;
	} else if (!o->trace && !o->made.messages) {
		source.made.messages = ADVICE_MESSAGES;
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
		status = o->advise ? cost_advise(&job->program, job->source, o, r) : cost_report__make(job);
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

static int run_image(struct cost_job *job)
{
	const struct cost_options *o = job->options;
	struct cost_program *program = &job->program;
	void *elf = cost_read_file(o->image.path, &program->elf_bytes);
	int status;

	if (!elf)
		return FAILED;
	program->elf = elf;
	program->path = o->image.path;
	program->memory = &o->image.memory;
	program->image = (struct pspin_image){ .elf = elf,
					       .elf_bytes = program->elf_bytes,
					       .header = o->image.header,
					       .payload = o->image.payload,
					       .completion = o->image.completion,
					       .framing = (enum pspin_framing)pspin_framing__find(o->framing ? o->framing : "ethernet"),
					       .bytes_in_l1 = SPIN_WHOLE_PACKET };
	status = run_program(job);
	free(elf);
	return status;
}

static int run_fat(struct cost_job *job, const char *path)
{
	struct cost_program *program = &job->program;
	struct spin_object *object;
	void *pspin;
	int status = cost_pspin__find(job->options, path, program, &pspin);

	if (status || pspin) {
		status = status ? status : run_program(job);
		free(pspin);
		return status;
	}
	if (job->options->image.memory.count) {
		complain("--memory is of --image, and of objects of spincc --api pspin: %s has state and tables, see --set and --insert",
			 path);
		return USAGE;
	}
	if (spin_object__open(path, &object))
		return complain("%s", spin_strerror_last());
	program->object = object;
	program->path = path;
	program->elf = spin_object__image(object, &program->elf_bytes);
	status = run_program(job);
	spin_object__close(object);
	return status;
}

static int run_pspin_source(struct cost_job *job, const char *path)
{
	struct cost_pspin_source source;
	int status = cost_pspin__compile(path, &job->options->compile, &source);

	job->program.source = path;
	if (!status)
		status = run_fat(job, source.object);
	cost_pspin__remove(&source);
	return status;
}

/* A source is compiled first. */
static int run_object(struct cost_job *job, const char *path)
{
	const char *api = job->options->api;
	const struct handler_wants wants = { .compile = &job->options->compile };
	const char *dot = strrchr(path, '.');
	struct handler handler;
	int status;

	if (!dot || strcmp(dot, ".c")) {
		if (!api)
			return run_fat(job, path);
		complain("--api is of a source, NAME.c: what %s was compiled for is in it", path);
		return USAGE;
	}
	stop__watch();
	if (api && !strcmp(api, "pspin"))
		return run_pspin_source(job, path);
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
	struct cost_job job = { .options = options,
				.report = report,
				.program = { .fill = &options->fill, .watchdog = options->watchdog } };
	struct pspin_target *target = NULL;
	struct spin_rule rule;
	char why[512] = "";
	int status;

	if (!report)
		return complain("no memory");
	if (pspin_target__read(options->target, &target, why, sizeof(why)))
		status = complain("--target: %s", why);
	else if (choice__match(options->match.count ? options->match.items[0] : "udp", &rule))
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
