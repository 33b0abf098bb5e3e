/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the modelled NIC does for each packet of a message: fills in its HER (handler execution request) and acts on the return codes of its
 * handlers. Called by mpq.c for each packet that is admitted, and by her_queue.c when tasks start and end (message_kind).
 */
#include <string.h>

#include <spin/return.h>
#include <spin/slmp.h>
#include <spin/wire.h>

#include "hwmodel/nic/message_state.h"
#include "hwmodel/nic/her_queue.h"

static uint32_t flags_of(const struct nic_mpq *mpq)
{
	return (mpq->flow_control ? SPIN_EVENT_FLOW_CONTROL : 0) | (mpq->error ? SPIN_EVENT_FAILED : 0) |
	       (mpq->type == SPIN_TYPE_GET      ? SPIN_EVENT_GET
		: mpq->type == SPIN_TYPE_ATOMIC ? SPIN_EVENT_ATOMIC
						: 0) |
	       (mpq->overflow ? SPIN_EVENT_OVERFLOW : 0) | (mpq->refused ? SPIN_EVENT_REFUSED : 0) |
	       (mpq->verdict == SPIN_REASON_PROCEEDED ? SPIN_EVENT_PROCEEDED : 0) |
	       (mpq->verdict == SPIN_REASON_HEADER_DROPPED ? SPIN_EVENT_DROPPED : 0);
}

static void describe(const struct pspin *nic, const struct nic_mpq *mpq, struct spin_event *event, enum spin_handler_kind kind,
		     uint32_t offset)
{
	const struct flow_key *key = &mpq->flow->key;

	event->handler = kind;
	event->ip_version = key->ip_version;
	memcpy(event->src_addr, key->src_addr, sizeof(event->src_addr));
	event->src_port = key->src_port;
	event->dst_port = mpq->dst_port;
	event->length = mpq->length;
	event->message_id = key->message_id;
	event->me = mpq->me;
	event->offset = offset;
	event->match_bits = mpq->match_bits;
	event->hdr_data = mpq->hdr_data;
	if (mpq->me < SPIN_MES_MAX) {
		event->me_start = nic->messages->mes[mpq->me].start;
		event->me_length = nic->messages->mes[mpq->me].length;
		event->me_serial = nic->messages->mes[mpq->me].serial;
	}
}

void message__report(struct pspin *nic, const struct nic_mpq *mpq, enum spin_event_type type, enum spin_handler_kind kind, uint32_t offset,
		     uint32_t flags)
{
	struct spin_event event = { .type = type };

	describe(nic, mpq, &event, kind, offset);
	if (type == SPIN_EVENT_MESSAGE || type == SPIN_EVENT_TIMEOUT) {
		event.dropped_bytes = mpq->dropped_bytes;
		event.deposited_bytes = mpq->deposited_bytes;
		event.flags = flags | flags_of(mpq);
	}
	record__event(nic, &event);
}

void message__work(struct pspin *nic, struct inflight *inflight, enum spin_handler_kind kind, const void *item, uint32_t bytes)
{
	const struct nic_mpq *mpq = inflight->slot->mpq;
	struct spin_event event = { .type = SPIN_EVENT_WORK };

	describe(nic, mpq, &event, kind, mpq->offset);
	record__work(nic, &event, item, bytes);
}

/* Called when a handler has returned or trapped: reports it, and its error if that is the message's first. */
static void report_run(struct pspin *nic, struct nic_mpq *mpq, enum spin_handler_kind kind, uint32_t offset, uint32_t error)
{
	if (nic->messages->limits.report_runs)
		message__report(nic, mpq, SPIN_EVENT_RAN, kind, offset, 0);
	if (!error || mpq->error)
		return;
	mpq->error = 1;
	message__report(nic, mpq, record__error_event(error), kind, mpq->offset, 0);
}

uint32_t message__header_bytes(const struct arrival *a)
{
	return (uint32_t)(sizeof(struct spin_eth) + sizeof(struct spin_udp) + sizeof(struct spin_slmp)) + a->in.ip_bytes;
}

void message__describe(struct pspin *nic, struct nic_mpq *mpq, const struct arrival *first)
{
	slot__describe(nic, mpq->slot, first->in.is_ip4, HOST_BASE + mpq->place, mpq->place_bytes);
}

/* PROCESS_DATA without a payload handler means PROCEED. */
static void proceed(struct pspin *nic, struct nic_mpq *mpq)
{
	mpq->verdict = SPIN_REASON_PROCEEDED;
	mpq->completes = 1;
	scratchpad__of(nic, mpq->slot)->header = SPIN_RC_PROCEED | SPIN_RC_COMPLETE;
}

void message__install(struct pspin *nic, struct nic_mpq *mpq, uint32_t options)
{
	struct soc_context *context = &mpq->slot->context;

	mpq->no_payload = nic->meta.registration.payload && options & SPIN_ME_NO_PAYLOAD;
	mpq->verdict = SPIN_REASON_SUCCESS;
	if (options & SPIN_ME_NO_COMPLETION)
		context->completion = 0;
	if (context->header && !(options & SPIN_ME_NO_HEADER))
		return;
	if (context->header)
		scratchpad__of(nic, mpq->slot)->header = SPIN_RC_PROCESS_DATA;
	context->header = 0;
	if (mpq->no_payload)
		proceed(nic, mpq);
}

/* Returns the bytes of a last packet beyond whole pieces of fragmentation_bytes. */
static uint32_t rest_bytes(const struct pspin *nic, const struct arrival *a)
{
	const struct spin_registration *registration = &nic->meta.registration;

	return registration->payload && registration->fragmentation_bytes ? a->slmp.payload_bytes % registration->fragmentation_bytes : 0;
}

/* Returns the bytes that the payload handler gets of the packet; 0: it does not run. */
static uint32_t handler_bytes(const struct pspin *nic, const struct nic_mpq *mpq, const struct arrival *a)
{
	const struct spin_registration *registration = &nic->meta.registration;
	uint32_t bytes = a->slmp.payload_bytes - rest_bytes(nic, a);
	uint32_t skip = a->slmp.offset ? 0 : registration->user_header_bytes;

	return registration->payload && !mpq->no_payload && bytes > skip && a->slmp.type != SPIN_TYPE_GET ? bytes - skip : 0;
}

void message__run(struct pspin *nic, struct nic_mpq *mpq, struct inflight *inflight, int is_last)
{
	const struct arrival *a = &inflight->arrival;
	struct soc_context *context = &mpq->slot->context;
	uint32_t bytes = handler_bytes(nic, mpq, a);

	if (context->bytes_in_l1 < message__header_bytes(a)) /* the headers are in L1, even if fewer bytes are registered */
		context->bytes_in_l1 = message__header_bytes(a);
	inflight->kind = bytes ? PSPIN_PAYLOAD : PSPIN_PROCEED;
	inflight->handler_bytes = bytes;
	her_queue__add(nic, inflight, mpq->slot, nic->entry[bytes ? NIC_PAYLOAD : NIC_PROCEED][a->in.is_ip4], is_last);
}

/* Writes the length of the data that arrived to the scratchpad, for the completion handler. */
void message__starts(struct pspin *nic, struct inflight *inflight, enum soc_task_kind kind)
{
	if (kind == SOC_COMPLETION)
		scratchpad__of(nic, inflight->slot)->length = inflight->slot->mpq->length;
}

/* The header handler's result decides what happens to the message's packets (its verdict). */
static void header_ended(struct pspin *nic, struct nic_mpq *mpq, const struct pspin_task *task)
{
	uint32_t rc = task->value;

	mpq->completes = !task->error && (rc & SPIN_RC_COMPLETE);
	if (task->error) {
		mpq->verdict = record__error_reason(task->error);
	} else {
		mpq->pending = !!(rc & SPIN_RC_PENDING);
		rc &= ~(uint32_t)(SPIN_RC_PENDING | SPIN_RC_COMPLETE);
		mpq->verdict = rc == SPIN_RC_DROP      ? SPIN_REASON_HEADER_DROPPED
			       : rc == SPIN_RC_PROCEED ? SPIN_REASON_PROCEEDED
						       : SPIN_REASON_SUCCESS;
		if (mpq->no_payload && mpq->verdict == SPIN_REASON_SUCCESS)
			proceed(nic, mpq);
	}
	report_run(nic, mpq, SPIN_KIND_HEADER, 0, task->error);
}

/* For messages that are not puts the default action may have had no effect. */
static enum spin_reason default_reason(const struct nic_mpq *mpq, const struct pspin_task *task)
{
	if (task->error)
		return record__error_reason(task->error);
	return mpq->type != SPIN_TYPE_PUT && task->value == SPIN_RC_DROP ? SPIN_REASON_DROPPED : SPIN_REASON_PROCEEDED;
}

/* The result of the data task of a packet whose header handler returned PROCESS_DATA. */
static enum spin_reason data_reason(struct pspin *nic, struct nic_mpq *mpq, const struct inflight *inflight, const struct pspin_task *task)
{
	const struct slmp *slmp = &inflight->arrival.slmp;
	uint32_t error = task->error, rc = task->value;

	if (inflight->kind == PSPIN_PROCEED && mpq->type != SPIN_TYPE_PUT)
		return default_reason(mpq, task);
	if (inflight->kind == PSPIN_PROCEED)
		return rest_bytes(nic, &inflight->arrival) ? SPIN_REASON_DROPPED : SPIN_REASON_PROCEEDED;
	if (error >= PSPIN_ERROR_WATCHDOG) /* the image does not know about these errors */
		scratchpad__of(nic, mpq->slot)->dropped_bytes += slmp->payload_bytes;
	report_run(nic, mpq, SPIN_KIND_PAYLOAD, slmp->offset, error);
	if (error)
		return record__error_reason(error);
	return rc == SPIN_RC_SUCCESS ? SPIN_REASON_SUCCESS : SPIN_REASON_DROPPED;
}

/* A payload or default task has ended: sets the packet's reason and counts its bytes as deposited or dropped. */
static void data_ended(struct pspin *nic, struct nic_mpq *mpq, struct inflight *inflight, const struct pspin_task *task)
{
	inflight->reason = mpq->verdict;
	if (inflight->reason == SPIN_REASON_SUCCESS)
		inflight->reason = data_reason(nic, mpq, inflight, task);
	else if (inflight->reason == SPIN_REASON_PROCEEDED)
		inflight->reason = default_reason(mpq, task);
	if (inflight->reason == SPIN_REASON_PROCEEDED) {
		const struct slmp *slmp = &inflight->arrival.slmp;
		uint32_t bytes = mpq->type != SPIN_TYPE_ATOMIC      ? inflight->delivered_bytes
				 : slmp->atomic & SPIN_ATOMIC_FETCH ? slmp->payload_bytes - (uint32_t)sizeof(struct spin_slmp_get)
								    : slmp->payload_bytes;

		mpq->deposited_bytes += bytes;
		nic->messages->mes[mpq->me].bytes += bytes;
	} else if (inflight->reason != SPIN_REASON_SUCCESS) {
		mpq->dropped_bytes += inflight->arrival.slmp.payload_bytes;
	} else {
		mpq->dropped_bytes += rest_bytes(nic, &inflight->arrival);
	}
}

static void completion_ended(struct pspin *nic, struct nic_mpq *mpq, const struct pspin_task *task)
{
	if (mpq->verdict != SPIN_REASON_SUCCESS && mpq->verdict != SPIN_REASON_HEADER_DROPPED && !mpq->completes)
		return; /* no completion handler ran */
	if (!task->error && (task->value & SPIN_RC_PENDING))
		mpq->pending = 1;
	report_run(nic, mpq, SPIN_KIND_COMPLETION, 0, task->error);
}

void message__ended(struct pspin *nic, struct inflight *inflight, enum soc_task_kind kind, const struct pspin_task *task)
{
	struct nic_mpq *mpq = inflight->slot->mpq;

	switch (kind) {
	case SOC_HEADER:
		header_ended(nic, mpq, task);
		break;
	case SOC_PAYLOAD:
		data_ended(nic, mpq, inflight, task);
		break;
	default:
		completion_ended(nic, mpq, task);
	}
}
