/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs spinctl cost: opens a fat object (spincc's output), a source file or an image that spincc did not make, and makes a report, a sweep,
 * a comparison or advice of it. Called by user/spinctl/cost.c. Also has the passes that run packets through a modelled NIC: alone (one at a
 * time), cold (with empty caches) and under load.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/cost/advise.h"
#include "user/cost/compare.h"
#include "user/cost/job.h"
#include "user/cost/pspin.h"
#include "user/cost/run.h"
#include "user/cost/sweep.h"
#include "user/libspin/internal.h"
#include "user/tool/parse_enum.h"
#include "user/tool/notify.h"
#include "user/tool/error.h"
#include "user/tool/read_file.h"

int cost_job__check_packets(const struct cost_job *job, const char *path)
{
	const struct cost_options *o = job->options;
	const struct cost_report *r = job->report;

	const int has_many = r->takes_messages || r->takes_segments; /* packets of a message or connection */
	const struct cost_generator generator = { .rule = job->program.rule, .takes_segments = r->takes_segments };

	if (o->made.messages && !has_many)
		return report_error("%s takes datagrams, not messages: make them with --datagrams, or give a trace with --pcap", path);
	if (o->datagrams && has_many)
		return report_error("%s takes %s, not datagrams: make them with --messages", path, cost_packets__name(r));
	if (!o->trace && r->takes_segments && cost_generator__header_bytes(&generator) + o->made.payload_bytes > SPIN_IP_BYTES_MAX)
		return report_error("--payload %u: with the headers of IP and TCP a packet would have more than %u bytes",
				    o->made.payload_bytes, SPIN_IP_BYTES_MAX);
	if (!o->trace && !r->is_image && cost_is_icmp(job->program.rule) && o->made.payload_bytes < COST_ICMP_BYTES_MIN)
		return report_error("--payload %u: an ICMP message, which is the payload, has %u bytes at least", o->made.payload_bytes,
				    COST_ICMP_BYTES_MIN);
	if (!o->trace && job->program.rule->has_eom)
		return report_error("packets of a rule with eom are not made: give a capture with --pcap");
	if (o->sizes && o->size_count && o->trace && has_many)
		return report_error("--sizes: packets of captured %s keep their size; make %s with --messages", cost_packets__name(r),
				    cost_packets__name(r));
	return DONE;
}

static int run_sweep(const struct cost_job *job, const struct cost_source_options *source)
{
	struct cost_sweep sweep = { .program = &job->program, .source = source, .base = job->report };
	const struct cost_options *o = job->options;
	char reason[512];
	int status;

	if (cost_sweep__parse(&sweep, &o->sweep, reason, sizeof(reason)))
		status = report_error("%s", reason);
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

/* Returns 1 if datagrams are generated. --advise generates what the handler takes. */
static int is_datagrams(const struct cost_options *o, const struct cost_report *r)
{
	return o->datagrams || (!o->trace && !o->made.messages && !r->takes_messages && !r->takes_segments);
}

/* Measures a program whose code and rule are known: decides on the packets, opens their source, and runs the kind of report asked for. */
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
	source.takes_segments = r->takes_segments;
	source.is_raw = r->is_image && job->program.image.framing == PSPIN_FRAMING_RAW;
	if (o->sweep.count)
		return run_sweep(job, &source);
	job->source = cost_source__open(&source);
	if (!job->source)
		status = FAILED;
	else if (o->advise)
		status = cost_advise(&job->program, job->source, o, r);
	else
		status = o->compare ? cost_compare(job) : cost_report__make(job);
	cost_source__close(job->source);
	cost_lines__free(&r->lines);
	cost_lines__free(&r->worst);
	return status;
}

static int run_image(struct cost_job *job)
{
	const struct cost_options *o = job->options;
	struct cost_program *program = &job->program;
	void *elf = read_file(o->image.path, &program->elf_bytes);
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

/* Measures an object of spincc: of handlers, or of PsPIN's own API. */
static int run_fat_object(struct cost_job *job, const char *path)
{
	struct cost_program *program = &job->program;
	struct spin_object *object;
	struct spin_rule rule;
	void *pspin;
	const struct spin_rule *const given = program->rule;
	int status = cost_pspin__find(job->options, path, program, &pspin);

	if (status || pspin) {
		status = status ? status : run_program(job);
		free(pspin);
		return status;
	}
	if (job->options->image.memory.count) {
		report_error(
			"--memory is of --image, and of objects of spincc --api pspin: %s has state and tables, see --set and --insert",
			path);
		return USAGE;
	}
	if (spin_object__open(path, &object))
		return report_error("%s", spin_strerror_last());
	program->object = object;
	program->path = path;
	program->elf = spin_object__image(object, &program->elf_bytes);
	if (!job->options->match.count) {
		program->rule = &rule;
		status = parse_enum__match(NULL, object, &rule) ? report_error("%s", spin_strerror_last()) : DONE;
	}
	if (!status)
		status = run_program(job);
	if (program->rule == &rule)
		program->rule = given;
	spin_object__close(object);
	return status;
}

static int run_pspin_source(struct cost_job *job, const char *path)
{
	struct cost_pspin_source source;
	int status = cost_pspin__compile(path, &job->options->compile, &source);

	job->program.source = path;
	if (!status)
		status = run_fat_object(job, source.object);
	cost_pspin__remove(&source);
	return status;
}

/* Opens the handler's object and runs the job. If path is a source file, compiles it first. */
static int run_object(struct cost_job *job, const char *path)
{
	const char *api = job->options->api;
	const struct handler_open_opts wants = { .compile = &job->options->compile };
	const char *dot = strrchr(path, '.');
	struct handler handler;
	int status;

	if (!dot || strcmp(dot, ".c")) {
		if (!api)
			return run_fat_object(job, path);
		report_error("--api is of a source, NAME.c: what %s was compiled for is in it", path);
		return USAGE;
	}
	signals__watch();
	if (api && !strcmp(api, "pspin"))
		return run_pspin_source(job, path);
	status = handler__open(&handler, path, &wants);
	job->program.source = path;
	if (!status)
		status = run_fat_object(job, handler.object);
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
	char reason[512] = "";
	int status;

	if (!report)
		return report_error("no memory");
	if (pspin_target__read(options->target, &target, reason, sizeof(reason)))
		status = report_error("--target: %s", reason);
	else if (parse_enum__match(options->match.count ? options->match.items[0] : NULL, NULL, &rule))
		status = report_error("%s", spin_strerror_last());
	else {
		job.program.target = target;
		job.program.rule = &rule;
		status = object ? run_object(&job, object) : run_image(&job);
	}
	pspin_target__free(target);
	free(report);
	return status;
}

/* --- passes: packets one at a time, one at a time with cold caches, and as fast as the NIC takes them --- */

/*
 * The number of packets queued at the ingress link. The queue is refilled every SLICE_CYCLES, so it never runs empty, even at one packet
 * per cycle, and a trace need not fit in memory. With several contexts it is longer: packets that wait for one context must not delay
 * packets of the others.
 */
#define QUEUE_PACKETS        1024
#define SHARED_QUEUE_PACKETS (64 * QUEUE_PACKETS)
#define SLICE_CYCLES         512

/* Returns 1 if the packet is larger than the packet ring in L1. Such a packet would wait for room forever. */
static int is_too_large(const struct pspin_target *target, const struct cost_packet *packet, uint64_t *ring_bytes)
{
	uint64_t kib = 0, rings = 1;

	pspin_target__get(target, "l1_packet_kib", &kib);
	pspin_target__get(target, "l1_rings", &rings);
	*ring_bytes = kib * 1024 / (rings ? rings : 1);
	return packet->counted_bytes > *ring_bytes;
}

static int report_refusal(const struct cost_program *program, struct pspin *nic, const struct cost_packet *packet, uint64_t number, int rc)
{
	uint64_t ring_bytes;

	if (rc == -EDEADLK && is_too_large(program->target, packet, &ring_bytes))
		return report_error("packet %llu of %u bytes does not fit: the target's L1 has rings of %llu bytes for packets; "
				    "leave it out, or enlarge l1_packet_kib of the target",
				    (unsigned long long)number, packet->counted_bytes, (unsigned long long)ring_bytes);
	if (rc == -EDEADLK)
		return report_error("the NIC is stuck after packet %llu: %s", (unsigned long long)number, pspin__stuck(nic));
	if (rc == -ENOMEM)
		return report_error("no memory for packet %llu", (unsigned long long)number);
	return report_error("packet %llu of %u bytes does not fit: the NIC takes frames of 1 to %u bytes that its packet memory "
			    "has room for; leave it out of the trace, or enlarge l2_packet_kib of the target",
			    (unsigned long long)number, packet->bytes, PSPIN_FRAME_BYTES_MAX);
}

static int offer(const struct cost_program *program, struct pspin *nic, const struct cost_packet *packet, uint64_t at_ps, uint64_t number)
{
	const struct pspin_offer offer = { at_ps, packet->frame, packet->bytes, packet->message, packet->end_of_message };
	int rc = pspin__offer(nic, &offer);

	return rc ? report_refusal(program, nic, packet, number, rc) : DONE;
}

static uint64_t now_ps(const struct pspin *nic)
{
	struct pspin_traffic traffic;

	pspin__traffic(nic, &traffic);
	return traffic.now_ps;
}

/*
 * Sends the packet and runs the NIC until it is idle. First advances the NIC's clock to the packet's recorded time, which ends idle
 * messages.
 */
static int send_and_wait(const struct cost_program *program, struct pspin *nic, const struct cost_packet *packet, uint64_t number,
			 uint32_t *at_ms)
{
	struct pspin_result expired;
	int rc;

	if (packet->at_ms != *at_ms)
		pspin__clock(nic, *at_ms = packet->at_ms, &expired);
	if (offer(program, nic, packet, now_ps(nic), number))
		return FAILED;
	rc = pspin__run(nic, UINT64_MAX);
	return rc ? report_refusal(program, nic, packet, number, rc) : DONE;
}

static int run_packets(const struct cost_program *program, struct pspin *nic, struct cost_source *source, struct cost_collector *c,
		       uint64_t limit, int flush)
{
	struct cost_packet packet;
	uint64_t number = 0;
	uint32_t at_ms = 0;
	int rc = 0, status = DONE;

	while (!status && number < limit && (rc = cost_source__next(source, &packet)) == 1) {
		if (flush)
			pspin__flush_icaches(nic);
		status = send_and_wait(program, nic, &packet, ++number, &at_ms);
		if (!status)
			status = cost_collector__status(c);
	}
	return rc == FAILED_SOURCE ? FAILED : status;
}

static int run_alone(const struct cost_program *program, struct cost_source *source, struct rv32_profile *profile, uint64_t limit,
		     int flush, struct cost_view *out)
{
	struct cost_collector *c = cost_collector__new(program);
	struct pspin *nic = NULL;
	int status = c ? cost_program__open(program, &nic) : FAILED;

	if (!status) {
		cost_collector__observe(c, nic);
		pspin__set_profile(nic, profile);
		status = run_packets(program, nic, source, c, limit, flush);
		pspin__set_profile(nic, NULL);
		cost_collector__finalize(c, nic, out);
	}
	pspin__close(nic);
	cost_collector__free(c);
	return status;
}

int cost_pass__alone(const struct cost_program *program, struct cost_source *source, struct rv32_profile *profile, struct cost_view *out)
{
	return run_alone(program, source, profile, UINT64_MAX, 0, out);
}

int cost_pass__cold(const struct cost_program *program, struct cost_source *source, struct cost_view *out)
{
	if (cost_source__rewind(source))
		return FAILED;
	return run_alone(program, source, NULL, COST_COLD_PACKETS, 1, out);
}

int cost_pass__worst(const struct cost_program *program, struct cost_source *source, uint64_t packet, struct rv32_profile *profile)
{
	struct cost_collector *c = cost_collector__new(program);
	struct pspin *nic = NULL;
	int status = c ? cost_program__open(program, &nic) : FAILED;

	if (!status)
		status = cost_source__rewind(source);
	if (!status) {
		cost_collector__observe(c, nic);
		status = run_packets(program, nic, source, c, packet, 0);
	}
	if (!status) {
		pspin__set_profile(nic, profile);
		status = run_packets(program, nic, source, c, 1, 0);
		pspin__set_profile(nic, NULL);
	}
	pspin__close(nic);
	cost_collector__free(c);
	return status;
}

/* Packets of several sources, taken in turn and sent to a NIC with one context per program. */
struct stream {
	const struct cost_program *program; /* of one of the contexts */
	struct pspin *const *nics;
	unsigned count;
	struct cost_source *const *sources;
	unsigned source_count, turn, ended;
	int skips_unmatched;
	double gbps, at_ps;
	uint64_t number;
};

/* Returns 1 if the packet is sent. If skips_unmatched is set, packets of a shared capture that the context does not match are skipped. */
static int is_wanted(const struct stream *s, const struct cost_packet *packet)
{
	return !s->skips_unmatched || pspin__matches(s->nics[0], packet->frame, packet->bytes);
}

/* Returns 1 and the next packet, 0 after the last one of all sources, or FAILED_SOURCE. */
static int next_packet(struct stream *s, struct cost_packet *packet)
{
	int rc = 0;

	for (unsigned i = 0; i < s->source_count && !rc; i++) {
		unsigned n = s->turn++ % s->source_count;

		if (s->ended >> n & 1)
			continue;
		do
			rc = cost_source__next(s->sources[n], packet);
		while (rc == 1 && !is_wanted(s, packet));
		if (!rc)
			s->ended |= 1u << n;
	}
	return rc;
}

static uint64_t count_arrived(const struct stream *s)
{
	struct pspin_traffic traffic;
	uint64_t sum = 0;

	for (unsigned i = 0; i < s->count; i++) {
		pspin__traffic(s->nics[i], &traffic);
		sum += traffic.packets;
	}
	return sum;
}

/* Offers packets until the queue at the ingress link is full. */
static int refill_queue(struct stream *s, int *ended)
{
	struct cost_packet packet;
	uint64_t limit = count_arrived(s) + (s->count > 1 ? SHARED_QUEUE_PACKETS : QUEUE_PACKETS);

	while (!*ended && s->number < limit) {
		int rc = next_packet(s, &packet);

		if (rc == FAILED_SOURCE)
			return FAILED;
		*ended = rc == 0;
		if (*ended)
			return DONE;
		if (offer(s->program, s->nics[0], &packet, (uint64_t)s->at_ps, ++s->number))
			return FAILED;
		if (s->gbps > 0)
			s->at_ps += packet.counted_bytes * 8e3 / s->gbps;
	}
	return DONE;
}

/* Offers packets a slice of time ahead of the model, until the source ends and all are handled. */
static int run_stream(struct stream *s, struct cost_collector *const *collectors)
{
	struct pspin *nic = s->nics[0];
	struct cost_packet none = { 0 };
	int ended = 0, status = DONE, rc;
	uint64_t until = 0, slice_ps = SLICE_CYCLES * pspin_target__cycle_ps(s->program->target);

	s->at_ps = (double)now_ps(nic);
	while (!status && !ended) {
		status = refill_queue(s, &ended);
		if (status)
			break;
		until = (now_ps(nic) > until ? now_ps(nic) : until) + slice_ps;
		rc = pspin__run(nic, ended ? UINT64_MAX : until);
		status = rc ? report_refusal(s->program, nic, &none, s->number, rc) : DONE;
		for (unsigned i = 0; i < s->count && !status; i++)
			status = cost_collector__status(collectors[i]);
	}
	return status;
}

int cost_pass__loaded(const struct cost_program *program, struct cost_source *source, double gbps, struct cost_trace_writer *writer,
		      struct cost_view *view, struct cost_throughput *throughput, struct cost_occupancy *occupancy)
{
	struct cost_collector *c = cost_collector__new(program);
	struct pspin *nic = NULL;
	int status = c ? cost_program__open(program, &nic) : FAILED;

	if (!status) {
		struct stream s = { .program = program, .nics = &nic, .count = 1, .sources = &source, .source_count = 1, .gbps = gbps };

		cost_collector__set_writer(c, writer);
		cost_collector__observe(c, nic);
		status = run_stream(&s, &c);
	}
	if (!status) {
		throughput->packets = cost_collector__done(c);
		throughput->is_steady = cost_collector__rate(c, &throughput->packets_per_us, &throughput->gbps);
		throughput->gbps *= 8e-3; /* bytes per us to Gbit/s */
		if (occupancy)
			cost_collector__occupancy(c, occupancy);
		cost_collector__finalize(c, nic, view);
	}
	pspin__close(nic);
	cost_collector__free(c);
	return status;
}

int cost_pass__together(const struct cost_together *t)
{
	struct pspin *nics[COST_CONTEXTS_MAX] = { NULL };
	struct stream s = { .program = t->programs[0],
			    .nics = nics,
			    .count = t->count,
			    .sources = t->sources,
			    .source_count = t->source_count,
			    .gbps = t->gbps,
			    .skips_unmatched = t->count == 1 };
	int status = cost_program__open(t->programs[0], &nics[0]);

	for (unsigned i = 1; i < t->count && !status; i++)
		status = cost_program__join(t->programs[i], nics[0], &nics[i]);
	for (unsigned i = 0; i < t->count && !status; i++) {
		pspin__set_weight(nics[i], t->weights[i]);
		cost_collector__observe(t->collectors[i], nics[i]);
	}
	if (!status)
		status = run_stream(&s, t->collectors);
	for (unsigned i = 0; i < t->count && !status; i++)
		cost_collector__finalize(t->collectors[i], nics[i], t->views[i]);
	pspin__close(nics[0]);
	return status;
}
