/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hears of tasks and packets, and sums them up. A packet's tasks are told before it is: they wait here for it, to be cut
 * into the stages of its latency.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "user/spinctl/cost_collect.h"

struct cost_collector *cost_collector__new(const struct cost_program *program)
{
	struct cost_collector *c = calloc(1, sizeof(*c));

	if (c) {
		c->program = program;
		c->first_ps = c->offered_ps = UINT64_MAX;
		c->occupancy.slot_ps = 64 * pspin_target__cycle_ps(program->target);
	} else {
		complain("no memory");
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

static int count_task(struct cost_collector *c, const struct pspin_task_record *record)
{
	const struct pspin_task *task = record->task;
	struct cost_task *sum = &c->view.tasks[task->kind];
	struct cost_waiting *w = find_or_add(c, record->packet);

	if (!w)
		return complain("no memory for the measurements");
	if (cost_series__add(&c->body[task->kind], task->body_cycles) ||
	    (!record->is_cold && cost_series__add(&c->warm[task->kind], task->body_cycles)))
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
	if (c->keeps_tasks && (cost_series__add(&c->starts, record->started_ps) || cost_series__add(&c->ends, record->doorbell_ps)))
		return FAILED;
	cost_occupancy__add(&c->occupancy, record->started_ps, record->doorbell_ps);
	return cost_fault(c->program, record);
}

static void find_worst(struct cost_collector *c, const struct pspin_packet_record *packet, const struct cost_waiting *w)
{
	int is_warm = !w->cold;

	if (c->view.handled > 1 && (is_warm < c->worst_is_warm || (is_warm == c->worst_is_warm && w->cycles <= c->view.worst_cycles)))
		return;
	c->worst_is_warm = is_warm;
	c->view.worst_cycles = w->cycles;
	c->view.worst_packet = packet->packet;
	c->view.worst_bytes = packet->packet_bytes;
}

static int count_done(struct cost_collector *c, uint64_t at_ps)
{
	if (c->done_ps.count == c->bytes_room) {
		size_t room = c->bytes_room ? c->bytes_room * 2 : 1024;
		uint64_t *more = realloc(c->bytes_done, room * sizeof(*more));

		if (!more)
			return complain("no memory for the measurements");
		c->bytes_done = more;
		c->bytes_room = room;
	}
	c->bytes_done[c->done_ps.count] = c->bytes;
	return cost_series__add(&c->done_ps, at_ps);
}

/* Its tasks are done. */
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
	find_worst(c, packet, w);
	cost_stages__cut(packet, w->task, w->tasks, c->stage_ps);
	if (cost_series__add(&c->packets, w->cycles) || cost_series__add(&c->latency, end - packet->arrived_ps) ||
	    count_done(c, packet->feedback_ps))
		return FAILED;
	*w = c->waiting[--c->waiting_count];
	return DONE;
}

/* It is done with. */
static void end_flow(struct cost_collector *c, const struct pspin_packet_record *packet)
{
	uint64_t end = packet->left_ps > packet->feedback_ps ? packet->left_ps : packet->feedback_ps;

	if (packet->fate == PSPIN_FATE_NOT_OURS)
		return;
	if (packet->offered_ps < c->offered_ps)
		c->offered_ps = packet->offered_ps;
	if (end > c->last_ps)
		c->last_ps = end;
}

static int count_packet(struct cost_collector *c, const struct pspin_packet_record *packet)
{
	end_flow(c, packet);
	c->told++;
	c->view.packets++;
	if ((unsigned)packet->reason < SPIN_REASON_COUNT)
		c->view.reasons[packet->reason]++;
	c->lost += packet->fate == PSPIN_FATE_NO_BUFFER || packet->fate == PSPIN_FATE_NO_MESSAGE;
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

	end_flow(c, record);
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

void cost_collector__tee(struct cost_collector *c, struct cost_trace_writer *writer)
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
	return c->told;
}
