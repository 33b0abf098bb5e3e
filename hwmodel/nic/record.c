/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reports what happens in the modelled NIC (packets, tasks, events, sends of handlers): to the caller's observer at once, and to the event
 * log of a packet's result. Called by her_queue.c, ingress.c and by each kind of context; see record.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hwmodel/nic/memory.h"
#include "hwmodel/nic/record.h"
#include "hwmodel/nic/slots.h"
#include "hwmodel/target/time.h"

/* --- the event log --- */

static void event_log__empty(struct event_log *event_log)
{
	event_log->task_count = event_log->event_count = event_log->send_count = 0;
}

void event_log__begin(struct event_log *event_log)
{
	event_log__empty(event_log);
	event_log->incomplete = 0;
}

void event_log__free(struct event_log *event_log)
{
	free(event_log->tasks);
	free(event_log->events);
	free(event_log->sends);
}

/* Of each kind, for one packet. A handler may send and report in a loop until the watchdog ends it. */
#define ENTRIES_MAX 32768u

/* Adds an entry to a list; NULL if out of memory, or if the list is too long. */
static void *add(struct event_log *event_log, void *list, unsigned *count, unsigned *room, size_t bytes)
{
	if (*count == *room) {
		unsigned capacity = *room ? *room * 2 : 64;
		void *grown = capacity <= ENTRIES_MAX ? realloc(list, capacity * bytes) : NULL;

		if (!grown) {
			event_log->incomplete = 1;
			return NULL;
		}
		list = grown;
		*room = capacity;
	}
	memset((uint8_t *)list + *count * bytes, 0, bytes);
	(*count)++;
	return list;
}

static struct pspin_task *event_log__task(struct event_log *event_log)
{
	struct pspin_task *list = add(event_log, event_log->tasks, &event_log->task_count, &event_log->task_room, sizeof(*list));

	if (!list)
		return &event_log->lost_task;
	event_log->tasks = list;
	return &list[event_log->task_count - 1];
}

static struct spin_event *event_log__event(struct event_log *event_log)
{
	struct spin_event *list = add(event_log, event_log->events, &event_log->event_count, &event_log->event_room, sizeof(*list));

	if (!list)
		return &event_log->lost_event;
	event_log->events = list;
	return &list[event_log->event_count - 1];
}

static struct spin_request *event_log__send(struct event_log *event_log)
{
	struct spin_request *list = add(event_log, event_log->sends, &event_log->send_count, &event_log->send_room, sizeof(*list));

	if (!list)
		return &event_log->lost_send;
	event_log->sends = list;
	return &list[event_log->send_count - 1];
}

int event_log__end(const struct event_log *event_log, struct pspin_result *out)
{
	out->tasks = event_log->tasks;
	out->task_count = event_log->task_count;
	out->events = event_log->events;
	out->event_count = event_log->event_count;
	out->sends = event_log->sends;
	out->send_count = event_log->send_count;
	return event_log->incomplete ? -ENOMEM : 0;
}

/* --- reports --- */

uint64_t record__ps(const struct pspin *nic, uint64_t cycle)
{
	return cycle > nic->device->opened ? time__ps(&nic->device->target, cycle - nic->device->opened) : 0;
}

uint64_t record__now(const struct pspin *nic)
{
	return record__ps(nic, nic->device->soc.now);
}

/* Outside of pspin__packet() and pspin__clock() the log keeps only the current entry. */
static struct event_log *event_log_of(struct pspin *nic)
{
	if (!nic->device->one_at_a_time)
		event_log__empty(&nic->event_log);
	return &nic->event_log;
}

static void fill_task(struct pspin_task *to, const struct soc_task *task, enum pspin_task_kind kind)
{
	const struct hpu_task_result *result = &task->result;

	to->kind = kind;
	to->body_cycles = result->body.cycle;
	to->instructions = result->body.instructions;
	memcpy(to->cycles, result->body.cycles, sizeof(to->cycles));
	to->parked_cycles = result->parked_cycles;
	to->nic_sends = result->commands[HPU_NIC_SEND];
	to->host_dmas = result->commands[HPU_TO_HOST] + result->commands[HPU_FROM_HOST];
	to->host_reads = result->commands[HPU_FROM_HOST];
	to->host_writes = result->commands[HPU_HOST_DIRECT];
	to->error = result->error;
	to->error_pc = result->error_pc;
	to->error_tval = result->error_tval;
	to->value = result->value;
}

static void count_task(struct pspin *nic, const struct soc_task *task)
{
	const uint64_t *cycles = task->result.body.cycles;

	nic->busy_cycles += task->doorbell - task->started;
	nic->blocked_cycles += cycles[RV32_CYC_BLOCKED] + cycles[RV32_CYC_COMMAND];
}

const struct pspin_task *record__task(struct pspin *nic, const struct inflight *inflight, const struct soc_task *task)
{
	struct pspin_task *to = event_log__task(event_log_of(nic));
	struct pspin_task_record record;

	fill_task(to, task, task->kind == SOC_HEADER ? PSPIN_HEADER : task->kind == SOC_PAYLOAD ? inflight->kind : PSPIN_COMPLETION);
	count_task(nic, task);
	if (!nic->observer.task)
		return to;
	record = (struct pspin_task_record){
		.packet = inflight->record.packet,
		.message_id = task->her->message_id,
		.cluster = task->hpu->cluster,
		.hpu = task->hpu->index,
		.is_cold = task->is_cold,
		.ready_ps = record__ps(nic, task->ready),
		.dispatched_ps = record__ps(nic, task->dispatched),
		.copied_ps = record__ps(nic, task->copied),
		.started_ps = record__ps(nic, task->started),
		.first_ps = record__ps(nic, task->first),
		.returned_ps = record__ps(nic, task->returned),
		.doorbell_ps = record__ps(nic, task->doorbell),
		.feedback_ps = record__ps(nic, task->feedback),
		.task = to,
	};
	nic->observer.task(nic->observer.arg, &record);
	return to;
}

static int is_result_packet(const struct pspin *nic, const struct pspin_packet_record *record)
{
	return nic->device->one_at_a_time && record->packet == nic->device->asked_packet;
}

int record__wants_frame(const struct pspin *nic, const struct pspin_packet_record *record)
{
	return nic->observer.packet || is_result_packet(nic, record);
}

void record__packet(struct pspin *nic, struct inflight *inflight, size_t frame_bytes)
{
	struct pspin_packet_record *record = &inflight->record;
	struct pspin_traffic *traffic = &nic->traffic;

	record->frame = record->verdict == SPIN_VERDICT_DROP ? NULL : nic->device->frame;
	record->frame_bytes = record->verdict == SPIN_VERDICT_DROP ? 0 : frame_bytes;
	nic->count[record->reason]++;
	traffic->lost_no_buffer += record->disposition == PSPIN_DISPOSITION_NO_BUFFER;
	traffic->lost_no_message += record->disposition == PSPIN_DISPOSITION_NO_MESSAGE;
	if (nic->last_ps < record->feedback_ps)
		nic->last_ps = record->feedback_ps;
	if (is_result_packet(nic, record))
		nic->device->asked = *record;
	if (nic->observer.packet)
		nic->observer.packet(nic->observer.arg, record);
}

void record__replayed(struct pspin *nic, const struct inflight *inflight)
{
	if (nic->last_ps < inflight->record.feedback_ps)
		nic->last_ps = inflight->record.feedback_ps;
	if (nic->observer.replayed)
		nic->observer.replayed(nic->observer.arg, &inflight->record);
}

void record__her(struct pspin *nic, const struct inflight *inflight)
{
	const struct soc_her *her = &inflight->her;
	const struct soc_context *context = her->context;
	struct pspin_her_record record;

	if (!nic->observer.her)
		return;
	record = (struct pspin_her_record){
		.packet = inflight->record.packet,
		.at_ps = inflight->record.her_ps,
		.message_id = her->message_id,
		.end_of_message = her->end_of_message,
		.l2 = her->l2,
		.bytes = her->bytes,
		.bytes_in_l1 = context->bytes_in_l1 < her->bytes ? context->bytes_in_l1 : her->bytes,
		.header = context->header,
		.payload = her->payload ? her->payload : context->payload,
		.completion = context->completion,
		.handler_mem = context->handler_mem,
		.handler_mem_bytes = context->handler_mem_bytes,
		.host_mem = context->host_mem,
		.host_mem_bytes = context->host_mem_bytes,
		.scratchpad = context->scratchpad,
		.scratchpad_bytes = context->scratchpad_bytes,
		.content = nic->memory->l2_packet + (her->l2 - L2_PACKET),
		.scratch = (const uint8_t *)scratchpad__of(nic, inflight->slot),
	};
	nic->observer.her(nic->observer.arg, &record);
}

/* clang-format off */
static const char *const command_names[HPU_COMMAND_KINDS] = {
	[HPU_NIC_SEND] = "send",
	[HPU_TO_HOST] = "to host",
	[HPU_FROM_HOST] = "from host",
	[HPU_HOST_DIRECT] = "host-direct",
};
/* clang-format on */

/* A command as an event's argument: its kind, its number within the task, and the HPU. */
#define COMMAND_NUMBER_BITS 24

static void report_command(struct pspin *nic, uint64_t cycle, uint64_t what, int begins)
{
	unsigned kind = what % HPU_COMMAND_KINDS, id = what / HPU_COMMAND_KINDS & ((1u << COMMAND_NUMBER_BITS) - 1);
	const struct hpu *hpu = &nic->device->soc.hpus[what / HPU_COMMAND_KINDS >> COMMAND_NUMBER_BITS];

	if (nic->observer.command)
		nic->observer.command(nic->observer.arg, record__ps(nic, cycle), hpu->cluster, hpu->index, id, command_names[kind], begins);
}

static void command_done(void *arg, uint64_t cycle, uint64_t what)
{
	report_command(arg, cycle, what, 0);
}

static uint64_t encode_command(const struct pspin *nic, const struct hpu_command *command)
{
	uint64_t hpu = (uint64_t)(command->task->hpu - nic->device->soc.hpus), number = command->number & ((1u << COMMAND_NUMBER_BITS) - 1);

	return (hpu << COMMAND_NUMBER_BITS | number) * HPU_COMMAND_KINDS + command->kind;
}

void record__command(struct pspin *nic, const struct hpu_command *command)
{
	report_command(nic, command->issued, encode_command(nic, command), 1);
}

void record__command_known(struct pspin *nic, const struct hpu_command *command)
{
	if (nic->observer.command)
		events__add(&nic->device->soc.events, command->done, command_done, nic, encode_command(nic, command));
}

void record__event(struct pspin *nic, const struct spin_event *event)
{
	*event_log__event(event_log_of(nic)) = *event;
	if (nic->observer.event)
		nic->observer.event(nic->observer.arg, record__now(nic), event);
}

void record__work(struct pspin *nic, struct spin_event *event, const void *item, uint32_t bytes)
{
	event->item_bytes = bytes;
	memset(event->item, 0, sizeof(event->item));
	memcpy(event->item, item, bytes);
	nic->work_taken++;
	record__event(nic, event);
	if (!nic->device->one_at_a_time)
		record__work_taken(nic);
}

void record__work_taken(struct pspin *nic)
{
	if (nic->work_counts)
		pspin__write(nic, nic->work_counts + offsetof(struct spin_work_counts_, taken), &nic->work_taken, sizeof(nic->work_taken));
}

struct spin_request *record__send(struct pspin *nic)
{
	return event_log__send(event_log_of(nic));
}

void record__sent(struct pspin *nic, const struct spin_request *request)
{
	if (nic->observer.send)
		nic->observer.send(nic->observer.arg, record__now(nic), request);
}

_Static_assert(PSPIN_ERROR_FAIL == HPU_ERROR_FAIL && PSPIN_ERROR_SEGV == HPU_ERROR_SEGV && PSPIN_ERROR_BAD_RETURN == HPU_ERROR_BAD_RETURN &&
		       PSPIN_ERROR_OVERRUN == HPU_ERROR_OVERRUN,
	       "what the image writes is what the model reports");

static int is_overrun(uint32_t error)
{
	return error == PSPIN_ERROR_OVERRUN || error == PSPIN_ERROR_WATCHDOG || error == PSPIN_ERROR_CYCLES;
}

/* All other errors, PSPIN_ERROR_SEGV and traps, count as failed accesses. */
enum spin_reason record__error_reason(uint32_t error)
{
	return is_overrun(error)                 ? SPIN_REASON_OVERRUN
	       : error == PSPIN_ERROR_FAIL       ? SPIN_REASON_FAILED
	       : error == PSPIN_ERROR_BAD_RETURN ? SPIN_REASON_BAD_RETURN
						 : SPIN_REASON_SEGV;
}

enum spin_event_type record__error_event(uint32_t error)
{
	return is_overrun(error)                 ? SPIN_EVENT_OVERRUN
	       : error == PSPIN_ERROR_FAIL       ? SPIN_EVENT_FAIL
	       : error == PSPIN_ERROR_BAD_RETURN ? SPIN_EVENT_BAD_RETURN
						 : SPIN_EVENT_SEGV;
}

enum spin_verdict record__verdict(enum spin_reason reason)
{
	static const enum spin_verdict verdict[] = {
#define VERDICT_(name, verdict_, text) [SPIN_REASON_##name] = SPIN_VERDICT_##verdict_,
		SPIN_REASONS(VERDICT_)
#undef VERDICT_
	};

	return verdict[reason];
}
