/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl cost --trace: writes the modelled NIC's activity as a trace for chrome://tracing and ui.perfetto.dev (Trace Event Format): the
 * ingress link, packet copies of each cluster, tasks of each HPU, commands by kind, and the fill level of packet memory over time. Called
 * by print.c and collect.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "user/cost/run.h"
#include "user/lib/atomic_file.h"
#include "user/tool/error.h"

/* Tracks; each is a process (pid) in the trace. */
enum { WIRE = 1, COPIES, TASKS, COMMANDS, COUNTERS };

/* A change of packet memory's fill level. Changes are sorted by time when the trace is closed. */
struct change {
	uint64_t at_ps;
	int64_t bytes;
	int hers;
};

struct cost_trace_writer {
	struct atomic_file file;
	const char *path;
	unsigned hpus; /* per cluster */
	int begun;     /* 1: at least one event has been written */
	struct change *changes;
	size_t count, room;
	int no_memory;
};

/* Begins an event. The caller may write arguments, and ends it with json_object_end(). */
static void begin_event(struct cost_trace_writer *w, struct json *j, const char *phase, const char *name, unsigned track, unsigned row,
			uint64_t at_ps)
{
	fputs(w->begun ? ",\n" : "\n", w->file.file);
	w->begun = 1;
	json_begin(j, w->file.file, 0);
	json_object(j, NULL);
	json_string(j, "ph", phase);
	json_string(j, "name", name);
	json_uint(j, "pid", track);
	json_uint(j, "tid", row);
	/* microseconds with picosecond resolution: a double does not have enough digits */
	fprintf(w->file.file, ", \"ts\": %" PRIu64 ".%06" PRIu64, at_ps / 1000000, at_ps % 1000000);
}

static void write_duration(struct cost_trace_writer *w, uint64_t ps)
{
	fprintf(w->file.file, ", \"dur\": %" PRIu64 ".%06" PRIu64, ps / 1000000, ps % 1000000);
}

static void name_track(struct cost_trace_writer *w, const char *what, unsigned track, unsigned row, const char *name)
{
	struct json j;

	begin_event(w, &j, "M", what, track, row, 0);
	json_object(&j, "args");
	json_string(&j, "name", name);
	json_object_end(&j);
	json_object_end(&j);
}

static void name_tracks(struct cost_trace_writer *w, const struct cost_report *r, unsigned clusters, unsigned hpus)
{
	char name[600];

	snprintf(name, sizeof(name), "%s: HPUs of %s", r->handler, r->target);
	name_track(w, "process_name", WIRE, 0, "wire");
	name_track(w, "process_name", COPIES, 0, "packet copies, L2 to L1");
	name_track(w, "process_name", TASKS, 0, name);
	name_track(w, "process_name", COMMANDS, 0, "commands");
	name_track(w, "process_name", COUNTERS, 0, "packet memory");
	name_track(w, "thread_name", WIRE, 0, "in");
	for (unsigned c = 0; c < clusters; c++) {
		snprintf(name, sizeof(name), "cluster %u", c);
		name_track(w, "thread_name", COPIES, c, name);
		for (unsigned h = 0; h < hpus; h++) {
			snprintf(name, sizeof(name), "cluster %u HPU %u", c, h);
			name_track(w, "thread_name", TASKS, c * hpus + h, name);
		}
	}
}

struct cost_trace_writer *cost_trace_writer__open(const char *path, const struct cost_report *r, unsigned clusters, unsigned hpus)
{
	struct cost_trace_writer *w = calloc(1, sizeof(*w));
	int err = w ? atomic_file__open(&w->file, path, "spincost") : -ENOMEM;

	if (err) {
		report_error("cannot write %s: %s", path, atomic_file__reason(err));
		free(w);
		return NULL;
	}
	w->path = path;
	w->hpus = hpus;
	fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [", w->file.file);
	name_tracks(w, r, clusters, hpus);
	return w;
}

static void add_change(struct cost_trace_writer *w, uint64_t at_ps, int64_t bytes, int hers)
{
	if (w->count == w->room) {
		size_t room = w->room ? w->room * 2 : 1024;
		struct change *more = realloc(w->changes, room * sizeof(*more));

		w->no_memory |= !more;
		if (!more)
			return;
		w->changes = more;
		w->room = room;
	}
	w->changes[w->count++] = (struct change){ at_ps, bytes, hers };
}

void cost_trace_writer__task(struct cost_trace_writer *w, const struct pspin_task_record *t)
{
	struct json j;

	if (t->copied_ps > t->dispatched_ps) {
		begin_event(w, &j, "X", "copy", COPIES, t->cluster, t->dispatched_ps);
		write_duration(w, t->copied_ps - t->dispatched_ps);
		json_object(&j, "args");
		json_uint(&j, "packet", t->packet + 1);
		json_object_end(&j);
		json_object_end(&j);
	}
	begin_event(w, &j, "X", cost_task_name(t->task->kind), TASKS, t->cluster * w->hpus + t->hpu, t->started_ps);
	write_duration(w, t->doorbell_ps - t->started_ps);
	json_object(&j, "args");
	json_uint(&j, "packet", t->packet + 1);
	json_uint(&j, "message", t->message_id);
	json_uint(&j, "cycles", t->task->body_cycles);
	json_uint(&j, "instructions", t->task->instructions);
	json_bool(&j, "cold", t->is_cold);
	for (unsigned c = 0; c < RV32_CAUSE_COUNT; c++)
		if (t->task->cycles[c])
			json_uint(&j, rv32_cause_name(c), t->task->cycles[c]);
	json_object_end(&j);
	json_object_end(&j);
}

/* Records that the packet's memory was freed. Some packets never had a HER. */
static void add_departure(struct cost_trace_writer *w, const struct pspin_packet_record *p)
{
	if (p->her_ps)
		add_change(w, p->her_ps, 0, 1);
	add_change(w, p->feedback_ps, -(int64_t)p->packet_bytes, p->her_ps ? -1 : 0);
}

void cost_trace_writer__packet(struct cost_trace_writer *w, const struct pspin_packet_record *p)
{
	struct json j;

	begin_event(w, &j, "X", "packet", WIRE, 0, p->arrived_ps);
	write_duration(w, p->stored_ps > p->arrived_ps ? p->stored_ps - p->arrived_ps : 0);
	json_object(&j, "args");
	json_uint(&j, "packet", p->packet + 1);
	json_uint(&j, "bytes", p->packet_bytes);
	json_string(&j, "reason", spin_reason_name(p->reason));
	json_object_end(&j);
	json_object_end(&j);
	if (p->disposition != PSPIN_DISPOSITION_HANDLED)
		return;
	add_change(w, p->stored_ps, p->packet_bytes, 0);
	if (p->reason != SPIN_REASON_PARKED)
		add_departure(w, p);
}

void cost_trace_writer__replayed(struct cost_trace_writer *w, const struct pspin_packet_record *p)
{
	add_departure(w, p);
}

/* Commands of an HPU overlap, so begin and end are paired by id instead of by nesting. */
void cost_trace_writer__command(struct cost_trace_writer *w, uint64_t at_ps, unsigned cluster, unsigned hpu, unsigned id, const char *kind,
				int begins)
{
	char name[64];
	struct json j;

	begin_event(w, &j, begins ? "b" : "e", kind, COMMANDS, 0, at_ps);
	json_string(&j, "cat", kind);
	snprintf(name, sizeof(name), "%s-%u-%u-%u", kind, cluster, hpu, id);
	json_string(&j, "id", name);
	json_object(&j, "args");
	json_uint(&j, "cluster", cluster);
	json_uint(&j, "hpu", hpu);
	json_object_end(&j);
	json_object_end(&j);
}

static int by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->at_ps != y->at_ps)
		return (x->at_ps > y->at_ps) - (x->at_ps < y->at_ps);
	return (x->bytes > y->bytes) - (x->bytes < y->bytes); /* at equal times, packets that free memory come first */
}

/* Writes the fill levels of packet memory over time, from the changes that were recorded. */
static void write_counters(struct cost_trace_writer *w)
{
	int64_t bytes = 0, hers = 0;
	struct json j;

	if (w->count)
		qsort(w->changes, w->count, sizeof(*w->changes), by_time);
	for (size_t i = 0; i < w->count; i++) {
		bytes += w->changes[i].bytes;
		hers += w->changes[i].hers;
		if (i + 1 < w->count && w->changes[i + 1].at_ps == w->changes[i].at_ps)
			continue;
		begin_event(w, &j, "C", "in packet memory", COUNTERS, 0, w->changes[i].at_ps);
		json_object(&j, "args");
		json_int(&j, "bytes", bytes);
		json_object_end(&j);
		json_object_end(&j);
		begin_event(w, &j, "C", "HERs", COUNTERS, 0, w->changes[i].at_ps);
		json_object(&j, "args");
		json_int(&j, "HERs", hers);
		json_object_end(&j);
		json_object_end(&j);
	}
}

int cost_trace_writer__close(struct cost_trace_writer *w, int publish)
{
	int status = DONE, err = 0;

	if (publish && w->no_memory)
		status = report_error("no memory for %s", w->path);
	if (publish && !status) {
		write_counters(w);
		fputs("\n]}\n", w->file.file);
		if (fflush(w->file.file) || ferror(w->file.file))
			err = errno ? -errno : -EIO;
		if (!err)
			err = atomic_file__publish(&w->file);
		if (err)
			status = report_error("cannot write %s: %s", w->path, atomic_file__reason(err));
	}
	atomic_file__close(&w->file);
	free(w->changes);
	free(w);
	return status;
}
