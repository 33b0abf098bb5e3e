/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The tasks of a message, and what its handlers' answers come to. */
#include <string.h>

#include <spin/return.h>
#include <spin/slmp.h>
#include <spin/wire.h>

#include "messages.h"
#include "task.h"

void message__tell(struct pspin *nic, const struct mpq *mpq, enum spin_event_type type,
		   enum spin_handler_kind kind, uint32_t offset, uint32_t flags)
{
	struct spin_event *event = journal__event(&nic->journal);
	const struct flow_key *key = &mpq->flow->key;

	event->type = type;
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
	if (type != SPIN_EVENT_MESSAGE && type != SPIN_EVENT_TIMEOUT)
		return;
	event->dropped_bytes = mpq->dropped_bytes;
	event->deposited_bytes = mpq->deposited_bytes;
	event->flags = flags | (mpq->flow_control ? SPIN_EVENT_FLOW_CONTROL : 0) |
		       (mpq->error ? SPIN_EVENT_FAILED : 0) |
		       (mpq->verdict == SPIN_REASON_PROCEEDED ? SPIN_EVENT_PROCEEDED : 0) |
		       (mpq->verdict == SPIN_REASON_HEADER_DROPPED ? SPIN_EVENT_DROPPED : 0);
}

/* A handler has returned, or trapped: news of it, and of its error if that is the message's first. */
static void ran(struct pspin *nic, struct mpq *mpq, enum spin_handler_kind kind, uint32_t offset, uint32_t error)
{
	if (nic->messages->limits.note_runs)
		message__tell(nic, mpq, SPIN_EVENT_RAN, kind, offset, 0);
	if (!error || mpq->error)
		return;
	mpq->error = 1;
	message__tell(nic, mpq, task__error_event(error), kind, mpq->offset, 0);
}

static uint32_t header_bytes(const struct arrival *a)
{
	return (uint32_t)(sizeof(struct spin_eth) + sizeof(struct spin_udp) + sizeof(struct spin_slmp)) + a->in.ip_bytes;
}

static void describe(struct pspin *nic, struct mpq *mpq, const struct arrival *a, struct hpu_descriptor *task)
{
	uint32_t scratch;

	scratchpad__of(nic, mpq, &scratch);
	task__describe(header_bytes(a) + a->slmp.payload_bytes, task);
	for (unsigned i = 0; i < HPU_SCRATCHPADS; i++) {
		task->scratchpad[i] = L1_GLOBAL + i * L1_STRIDE + scratch;
		task->scratchpad_bytes[i] = nic->messages->scratch_bytes;
	}
	task->host_mem_high = (uint32_t)(HOST_BASE >> 32);
	task->host_mem_low = (uint32_t)HOST_BASE + mpq->place;
	task->host_mem_bytes = mpq->place_bytes;
	task->message_id = (uint32_t)(mpq - nic->messages->mpqs) * nic->soc.memory.clusters; /* home cluster 0 */
}

/* The packet to its place, whatever was registered with its headers in L1. */
static void place(struct pspin *nic, const struct arrival *a)
{
	uint32_t bytes_in_l1 = nic->meta.registration.bytes_in_l1;
	uint8_t packet[sizeof(struct spin_eth) + SPIN_IP_BYTES_MAX];
	uint32_t bytes = slmp__strip(packet, a->frame, &a->in, &a->slmp);

	if (bytes_in_l1 != SPIN_WHOLE_PACKET && bytes_in_l1 < header_bytes(a))
		bytes_in_l1 = header_bytes(a);
	task__place(nic, packet, bytes, bytes_in_l1);
}

/* Its handlers' commands come because of this packet. */
static void arrive(struct pspin *nic, const struct mpq *mpq, const struct arrival *a)
{
	nic->arrived.frame = a->frame;
	nic->arrived.in = &a->in;
	nic->arrived.me = mpq->me;
}

void message__header(struct pspin *nic, struct mpq *mpq, const struct arrival *a)
{
	struct hpu_descriptor descriptor;
	const struct pspin_task *task;
	uint32_t error, said;

	arrive(nic, mpq, a);
	place(nic, a);
	if (!nic->meta.registration.header)
		return;
	describe(nic, mpq, a, &descriptor);
	task = task__run(nic, PSPIN_HEADER, nic->entry[NIC_HEADER][a->in.is_ip4], &descriptor);
	error = task->error;
	said = task->value;
	if (error) {
		mpq->verdict = task__error_reason(error);
	} else {
		mpq->pending = !!(said & SPIN_RC_PENDING);
		said &= ~(uint32_t)SPIN_RC_PENDING;
		mpq->verdict = said == SPIN_RC_DROP	 ? SPIN_REASON_HEADER_DROPPED
			       : said == SPIN_RC_PROCEED ? SPIN_REASON_PROCEEDED
							 : SPIN_REASON_SUCCESS;
	}
	ran(nic, mpq, SPIN_KIND_HEADER, 0, error);
}

static int has_payload(const struct pspin *nic, const struct arrival *a)
{
	const struct spin_registration *has = &nic->meta.registration;

	return has->payload && a->slmp.payload_bytes > (a->slmp.offset ? 0 : has->user_header_bytes);
}

/* What the data task came to, the header handler having said to go on. */
static enum spin_reason data_reason(struct pspin *nic, struct mpq *mpq, enum pspin_task_kind kind,
				    const struct pspin_task *task, const struct arrival *a)
{
	uint32_t error = task->error, said = task->value;

	if (kind == PSPIN_PROCEED)
		return SPIN_REASON_PROCEEDED;
	if (error == PSPIN_ERROR_WATCHDOG || error == PSPIN_ERROR_COMMAND) /* the image knows nothing of it */
		scratchpad__of(nic, mpq, NULL)->dropped_bytes += a->slmp.payload_bytes;
	ran(nic, mpq, SPIN_KIND_PAYLOAD, a->slmp.offset, error);
	if (error)
		return task__error_reason(error);
	return said == SPIN_RC_SUCCESS ? SPIN_REASON_SUCCESS : SPIN_REASON_DROPPED;
}

enum spin_reason message__data(struct pspin *nic, struct mpq *mpq, const struct arrival *a)
{
	int payload = has_payload(nic, a);
	enum pspin_task_kind kind = payload ? PSPIN_PAYLOAD : PSPIN_PROCEED;
	enum spin_reason reason = mpq->verdict;
	struct hpu_descriptor descriptor;
	const struct pspin_task *task;

	arrive(nic, mpq, a);
	if (a->slmp.offset) /* the first one is there, as the header handler left it */
		place(nic, a);
	describe(nic, mpq, a, &descriptor);
	task__forget_commands(nic);
	task = task__run(nic, kind, nic->entry[payload ? NIC_PAYLOAD : NIC_PROCEED][a->in.is_ip4], &descriptor);
	if (reason == SPIN_REASON_SUCCESS)
		reason = data_reason(nic, mpq, kind, task, a);
	if (reason == SPIN_REASON_PROCEEDED) {
		mpq->deposited_bytes += nic->delivered_bytes;
		nic->messages->mes[mpq->me].bytes += nic->delivered_bytes;
	} else if (reason != SPIN_REASON_SUCCESS) {
		mpq->dropped_bytes += a->slmp.payload_bytes;
	}
	return reason;
}

void message__completion(struct pspin *nic, struct mpq *mpq, const struct arrival *last)
{
	const struct spin_registration *has = &nic->meta.registration;
	struct hpu_descriptor descriptor;
	const struct pspin_task *task;
	uint32_t error, said;

	if (!has->completion && !has->message_completion)
		return;
	arrive(nic, mpq, last);
	task__copy_again(nic);
	describe(nic, mpq, last, &descriptor);
	task = task__run(nic, PSPIN_COMPLETION, nic->completion, &descriptor);
	error = task->error;
	said = task->value;
	if (mpq->verdict != SPIN_REASON_SUCCESS && mpq->verdict != SPIN_REASON_HEADER_DROPPED)
		return; /* the image ran no handler */
	if (!error && (said & SPIN_RC_PENDING))
		mpq->pending = 1;
	ran(nic, mpq, SPIN_KIND_COMPLETION, 0, error);
}
