/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Collects the modelled NIC's records of packets and of tasks (runs of a handler), and computes sums and distributions of cycles and
 * latency for spinctl cost. measure.c and contexts.c create a collector for each run; the model calls on_task() and on_packet(). It reports
 * a packet's tasks before the packet, so they are kept until the packet is reported and its latency can be split into stages.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "user/cost/collect.h"
#include "user/cost/run.h"
#include "user/tool/error.h"

struct cost_collector *cost_collector__new(const struct cost_program *program)
{
	struct cost_collector *c = calloc(1, sizeof(*c));

	if (c) {
		c->program = program;
		c->first_ps = c->offered_ps = UINT64_MAX;
		c->occupancy.slot_ps = 64 * pspin_target__cycle_ps(program->target);
	} else {
		report_error("no memory");
	}
	return c;
}

void cost_collector__free(struct cost_collector *c)
{
	if (!c)
		return;
	for (unsigned k = 0; k < PSPIN_TASK_KINDS; k++) {
		free(c->body[k].values);
		free(c->warm[k].values);
	}
	free(c->packets.values);
	free(c->latency.values);
	free(c->done_ps.values);
	free(c->starts.values);
	free(c->ends.values);
	free(c->bytes_done);
	free(c->waiting);
	free(c);
}

static struct cost_waiting *find(struct cost_collector *c, uint64_t packet)
{
	for (unsigned i = 0; i < c->waiting_count; i++)
		if (c->waiting[i].packet == packet)
			return &c->waiting[i];
	return NULL;
}

static struct cost_waiting *find_or_add(struct cost_collector *c, uint64_t packet)
{
	struct cost_waiting *w = find(c, packet);

	if (w)
		return w;
	if (c->waiting_count == c->waiting_room) {
		unsigned room = c->waiting_room ? c->waiting_room * 2 : 64;
		struct cost_waiting *more = realloc(c->waiting, room * sizeof(*more));

		if (!more)
			return NULL;
		c->waiting = more;
		c->waiting_room = room;
	}
	w = &c->waiting[c->waiting_count++];
	memset(w, 0, sizeof(*w));
	w->packet = packet;
	return w;
}

/* Adds a task's measurements to the sums of its kind and of its packet. */
static int count_task(struct cost_collector *c, const struct pspin_task_record *record)
{
	const struct pspin_task *task = record->task;
	struct cost_task *sum = &c->view.tasks[task->kind];
	struct cost_waiting *w = find_or_add(c, record->packet);

	if (!w)
		return report_error("no memory for the measurements");
	if (cost_samples__add(&c->body[task->kind], task->body_cycles) ||
	    (!record->is_cold && cost_samples__add(&c->warm[task->kind], task->body_cycles)))
		return FAILED;
	w->cycles += task->body_cycles;
	w->instructions += task->instructions;
	w->with_runtime += task->body_cycles - task->parked_cycles + pspin_target__runtime_cycles(c->program->target);
	w->cold += record->is_cold;
	if (w->tasks < WAITING_TASKS)
		w->task[w->tasks++] = *record;
	c->instructions[task->kind] += task->instructions;
	for (unsigned i = 0; i < RV32_CAUSE_COUNT; i++)
		c->causes[i] += task->cycles[i];
	sum->cold_runs += record->is_cold;
	sum->errors += task->error != 0;
	sum->nic_sends += task->nic_sends;
	sum->host_dmas += task->host_dmas;
	sum->host_reads += task->host_reads;
	sum->host_writes += task->host_writes;
	if (record->ready_ps && record->ready_ps < c->first_ps)
		c->first_ps = record->ready_ps;
	if (c->keeps_tasks && (cost_samples__add(&c->starts, record->started_ps) || cost_samples__add(&c->ends, record->doorbell_ps)))
		return FAILED;
	cost_occupancy__add(&c->occupancy, record->started_ps, record->doorbell_ps);
	return cost_fault(c->program, record);
}

static void update_slowest(struct cost_collector *c, const struct pspin_packet_record *packet, const struct cost_waiting *w)
{
	int is_warm = !w->cold;

	if (c->view.handled > 1 && (is_warm < c->slowest_is_warm || (is_warm == c->slowest_is_warm && w->cycles <= c->view.slowest_cycles)))
		return;
	c->slowest_is_warm = is_warm;
	c->view.slowest_cycles = w->cycles;
	c->view.slowest_packet = packet->packet;
	c->view.slowest_bytes = packet->packet_bytes;
}

static int add_completion(struct cost_collector *c, uint64_t at_ps)
{
	if (c->done_ps.count == c->bytes_room) {
		size_t room = c->bytes_room ? c->bytes_room * 2 : 1024;
		uint64_t *more = realloc(c->bytes_done, room * sizeof(*more));

		if (!more)
			return report_error("no memory for the measurements");
		c->bytes_done = more;
		c->bytes_room = room;
	}
	c->bytes_done[c->done_ps.count] = c->bytes;
	return cost_samples__add(&c->done_ps, at_ps);
}

/* Called when all tasks of a packet are done. */
static int count_handled(struct cost_collector *c, const struct pspin_packet_record *packet)
{
	struct cost_waiting *w = find(c, packet->packet);
	uint64_t end = packet->left_ps > packet->feedback_ps ? packet->left_ps : packet->feedback_ps;

	if (!w)
		return DONE;
	c->view.handled++;
	c->bytes += packet->packet_bytes;
	c->packet_instructions += w->instructions;
	c->with_runtime += w->with_runtime;
	c->warm_with_runtime += w->cold ? 0 : w->with_runtime;
	c->warm_packets += !w->cold;
	update_slowest(c, packet, w);
	cost_stages__split(packet, w->task, w->tasks, c->stage_ps);
	if (cost_samples__add(&c->packets, w->cycles) || cost_samples__add(&c->latency, end - packet->arrived_ps) ||
	    add_completion(c, packet->feedback_ps))
		return FAILED;
	*w = c->waiting[--c->waiting_count];
	return DONE;
}

/* Called when nothing of a packet is pending. Updates the start and end times of the flow. */
static void update_flow_times(struct cost_collector *c, const struct pspin_packet_record *packet)
{
	uint64_t end = packet->left_ps > packet->feedback_ps ? packet->left_ps : packet->feedback_ps;

	if (packet->disposition == PSPIN_DISPOSITION_NOT_MATCHED)
		return;
	if (packet->offered_ps < c->offered_ps)
		c->offered_ps = packet->offered_ps;
	if (end > c->last_ps)
		c->last_ps = end;
}

static int count_packet(struct cost_collector *c, const struct pspin_packet_record *packet)
{
	update_flow_times(c, packet);
	c->reported++;
	c->view.packets++;
	if ((unsigned)packet->reason < SPIN_REASON_COUNT)
		c->view.reasons[packet->reason]++;
	c->lost += packet->disposition == PSPIN_DISPOSITION_NO_BUFFER || packet->disposition == PSPIN_DISPOSITION_NO_MESSAGE;
	return count_handled(c, packet);
}

static void on_task(void *arg, const struct pspin_task_record *record)
{
	struct cost_collector *c = arg;

	if (!c->status)
		c->status = count_task(c, record);
	if (c->writer)
		cost_trace_writer__task(c->writer, record);
}

static void on_packet(void *arg, const struct pspin_packet_record *record)
{
	struct cost_collector *c = arg;

	if (!c->status)
		c->status = count_packet(c, record);
	if (c->writer)
		cost_trace_writer__packet(c->writer, record);
}

static void on_replayed(void *arg, const struct pspin_packet_record *record)
{
	struct cost_collector *c = arg;

	update_flow_times(c, record);
	if (!c->status)
		c->status = count_handled(c, record);
	if (c->writer)
		cost_trace_writer__replayed(c->writer, record);
}

static void on_command(void *arg, uint64_t at_ps, unsigned cluster, unsigned hpu, unsigned id, const char *kind, int begins)
{
	struct cost_collector *c = arg;

	cost_trace_writer__command(c->writer, at_ps, cluster, hpu, id, kind, begins);
}

void cost_collector__set_writer(struct cost_collector *c, struct cost_trace_writer *writer)
{
	c->writer = writer;
}

void cost_collector__observe(struct cost_collector *c, struct pspin *nic)
{
	const struct pspin_observer observer = {
		.arg = c, .task = on_task, .packet = on_packet, .replayed = on_replayed, .command = c->writer ? on_command : NULL
	};

	pspin__observe(nic, &observer);
}

int cost_collector__status(const struct cost_collector *c)
{
	return c->status;
}
uint64_t cost_collector__done(const struct cost_collector *c)
{
	return c->reported;
}

int cost_samples__add(struct cost_samples *s, uint64_t value)
{
	if (s->count == s->room) {
		size_t room = s->room ? s->room * 2 : 1024;
		uint64_t *values = realloc(s->values, room * sizeof(*values));

		if (!values)
			return report_error("no memory for the measurements");
		s->values = values;
		s->room = room;
	}
	s->values[s->count++] = value;
	return DONE;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Percentile by nearest rank. */
static uint64_t percentile(const struct cost_samples *s, unsigned percent)
{
	size_t rank = (s->count * percent + 99) / 100;

	return s->values[rank ? rank - 1 : 0];
}

struct cost_distribution cost_samples__spread(struct cost_samples *s)
{
	struct cost_distribution out = { 0 };
	double sum = 0;

	if (!s->count)
		return out;
	qsort(s->values, s->count, sizeof(*s->values), by_value);
	for (size_t i = 0; i < s->count; i++)
		sum += (double)s->values[i];
	out.min = s->values[0];
	out.max = s->values[s->count - 1];
	out.median = percentile(s, 50);
	out.p99 = percentile(s, 99);
	out.mean = sum / (double)s->count;
	return out;
}

/* --- names of tasks and stages, and the split of a packet's time into stages --- */

const char *cost_task_name(enum pspin_task_kind kind)
{
	static const char *const names[PSPIN_TASK_KINDS] = {
		[PSPIN_HEADER] = "header",
		[PSPIN_PAYLOAD] = "payload",
		[PSPIN_COMPLETION] = "completion",
		[PSPIN_PROCEED] = "proceed",
	};

	return names[kind];
}

const char *cost_stage_name(enum cost_stage stage)
{
	static const char *const names[COST_STAGES] = {
#define NAME(stage, word, text) word,
		COST_STAGES_(NAME)
#undef NAME
	};

	return names[stage];
}

const char *cost_stage_text(enum cost_stage stage)
{
	static const char *const texts[COST_STAGES] = {
#define TEXT(stage, word, text) text,
		COST_STAGES_(TEXT)
#undef TEXT
	};

	return texts[stage];
}

/* Assigns the time from *at to `until` to the stage, and advances *at. */
static void spend(uint64_t stages[COST_STAGES], uint64_t *at, uint64_t until, enum cost_stage stage)
{
	if (until <= *at)
		return;
	stages[stage] += until - *at;
	*at = until;
}

static int by_start(const void *a, const void *b)
{
	const struct pspin_task_record *x = a, *y = b;

	return (x->started_ps > y->started_ps) - (x->started_ps < y->started_ps);
}

void cost_stages__split(const struct pspin_packet_record *packet, struct pspin_task_record *tasks, unsigned count,
			uint64_t stages[COST_STAGES])
{
	uint64_t at = packet->arrived_ps;

	spend(stages, &at, packet->stored_ps, COST_STAGE_ARRIVE);
	spend(stages, &at, packet->her_ps, COST_STAGE_HER);
	qsort(tasks, count, sizeof(tasks[0]), by_start);
	for (unsigned i = 0; i < count; i++) {
		const struct pspin_task_record *task = &tasks[i];

		spend(stages, &at, task->ready_ps, COST_STAGE_QUEUE);
		spend(stages, &at, task->dispatched_ps, COST_STAGE_DISPATCH);
		spend(stages, &at, task->copied_ps, COST_STAGE_COPY);
		spend(stages, &at, task->started_ps, COST_STAGE_WAIT);
		spend(stages, &at, task->first_ps, COST_STAGE_RUNTIME);
		spend(stages, &at, task->returned_ps, COST_STAGE_HANDLER);
		spend(stages, &at, task->doorbell_ps, COST_STAGE_RUNTIME);
		spend(stages, &at, task->feedback_ps, COST_STAGE_FEEDBACK);
	}
	spend(stages, &at, packet->feedback_ps, COST_STAGE_FEEDBACK);
	spend(stages, &at, packet->left_ps, COST_STAGE_OUT);
}

/* Adds an HPU's busy time. When all slots are in use, pairs of slots are merged and the slot length doubles. */
void cost_occupancy__add(struct cost_occupancy *o, uint64_t from, uint64_t to)
{
	while (to >= o->slot_ps * COST_SLOTS) {
		for (unsigned i = 0; i < COST_SLOTS; i++)
			o->busy_ps[i] = i < COST_SLOTS / 2 ? o->busy_ps[2 * i] + o->busy_ps[2 * i + 1] : 0;
		o->slot_ps *= 2;
		o->slots = (o->slots + 1) / 2;
	}
	while (from < to) {
		uint64_t slot = from / o->slot_ps, end = (slot + 1) * o->slot_ps;

		o->busy_ps[slot] += (end < to ? end : to) - from;
		if (slot + 1 > o->slots)
			o->slots = (unsigned)slot + 1;
		from = end;
	}
}

/* --- figures from what was collected --- */

void cost_collector__occupancy(const struct cost_collector *c, struct cost_occupancy *out)
{
	*out = c->occupancy;
}

/* Measures from 1/5 to 9/10 of the packets. This excludes the start, when all queues are empty, and the end. */
int cost_collector__rate(const struct cost_collector *c, double *packets_per_us, double *bytes_per_us)
{
	size_t n = c->done_ps.count, from = n / 5, to = n * 9 / 10;
	int is_steady = n >= COST_LOADED_PACKETS / 4;
	uint64_t since, until, bytes;

	*packets_per_us = *bytes_per_us = 0;
	if (!n)
		return 0;
	if (!is_steady)
		to = n - 1;
	since = is_steady ? c->done_ps.values[from] : 0;
	bytes = is_steady ? c->bytes_done[from] : 0;
	until = c->done_ps.values[to];
	if (!is_steady && c->first_ps < until)
		since = c->first_ps;
	if (until <= since)
		return 0;
	*packets_per_us = (double)(is_steady ? to - from : n) * 1e6 / (double)(until - since);
	*bytes_per_us = (double)(c->bytes_done[to] - bytes) * 1e6 / (double)(until - since);
	return is_steady;
}

uint64_t cost_collector__flow_ps(const struct cost_collector *c)
{
	return c->last_ps > c->offered_ps ? c->last_ps - c->offered_ps : 0;
}

uint64_t cost_collector__last_ps(const struct cost_collector *c)
{
	return c->last_ps;
}

void cost_collector__keep_tasks(struct cost_collector *c)
{
	c->keeps_tasks = 1;
}

uint64_t cost_collector__hpu_ps(const struct cost_collector *c, uint64_t until_ps)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->starts.count; i++) {
		uint64_t end = c->ends.values[i] < until_ps ? c->ends.values[i] : until_ps;

		if (end > c->starts.values[i])
			sum += end - c->starts.values[i];
	}
	return sum;
}

/* Computes the figures of a kind of task. */
static void finalize_task(struct cost_collector *c, unsigned kind)
{
	struct cost_task *task = &c->view.tasks[kind];
	size_t n = c->body[kind].count;

	task->name = cost_task_name(kind);
	task->runs = n;
	task->cycles = cost_samples__spread(&c->body[kind]);
	task->warm = c->warm[kind].count ? cost_samples__spread(&c->warm[kind]) : task->cycles;
	if (!n)
		return;
	task->instructions_mean = (double)c->instructions[kind] / (double)n;
	task->ipc = task->cycles.mean > 0 ? task->instructions_mean / task->cycles.mean : 0;
}

void cost_collector__finalize(struct cost_collector *c, const struct pspin *nic, struct cost_view *out)
{
	struct cost_view *v = &c->view;
	double n = v->handled ? (double)v->handled : 1;

	for (unsigned k = 0; k < PSPIN_TASK_KINDS; k++)
		finalize_task(c, k);
	v->lost = c->lost;
	v->packet_cycles = cost_samples__spread(&c->packets);
	v->latency_ps = cost_samples__spread(&c->latency);
	v->packet_instructions_mean = (double)c->packet_instructions / n;
	v->ipc = v->packet_cycles.mean > 0 ? v->packet_instructions_mean / v->packet_cycles.mean : 0;
	v->cycles_with_runtime_mean = (double)c->with_runtime / n;
	v->warm_with_runtime_mean = c->warm_packets ? (double)c->warm_with_runtime / (double)c->warm_packets : v->cycles_with_runtime_mean;
	v->packet_bytes_mean = (double)c->bytes / n;
	for (unsigned i = 0; i < RV32_CAUSE_COUNT; i++)
		v->cause_cycles_mean[i] = (double)c->causes[i] / n;
	for (unsigned s = 0; s < COST_STAGES; s++)
		v->stage_ps_mean[s] = (double)c->stage_ps[s] / n;
	pspin__traffic(nic, &v->traffic);
	*out = *v;
}
