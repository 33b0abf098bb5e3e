/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the modelled NIC does with packets for contexts of datagrams: a datagram, or an ICMP message, is a message of one packet. Decides
 * what happens to it, writes it to packet memory and reports it. Called through the callbacks datagram_kind by the ingress link and by
 * her_queue.c (the path to the SoC, which runs handlers, and back); parts are also called by segment.c.
 */
#include <string.h>

#include <spin/return.h>
#include <spin/wire.h>

#include "hwmodel/nic/memory.h"
#include "hwmodel/nic/her_queue.h"
#include "hwmodel/nic/outbound.h"

static uint32_t classify(struct pspin *nic, struct inflight *inflight)
{
	const struct inbound *in = &inflight->arrival.in;

	if (!her_queue__classify(nic, inflight))
		return 0;
	return her_queue__align(nic, inflight, in->ip_bytes + in->header_bytes) + in->packet_bytes;
}

uint32_t datagram__place(struct pspin *nic, struct inflight *inflight, uint8_t *to)
{
	const struct arrival *a = &inflight->arrival;

	(void)nic;
	memcpy(to, a->frame + a->in.ip_off, a->in.packet_bytes);
	return a->in.packet_bytes;
}

static enum decision decide(struct pspin *nic, struct inflight *inflight)
{
	const struct inbound *in = &inflight->arrival.in;
	const struct spin_registration *registration = &nic->meta.registration;
	int payload = registration->payload && in->payload_bytes > registration->user_header_bytes;
	struct slot *slot = slots__has_id(nic) ? slots__alloc(nic) : NULL;
	struct hpu_scratch *scratch;

	if (!slot) /* one will become free: each message ends with its packet */
		return DECIDED_WAIT;
	slot__describe(nic, slot, in->is_ip4, DEPOSIT_BASE, DEPOSIT_BYTES);
	scratch = scratchpad__of(nic, slot);
	scratch->length = in->payload_bytes;
	entry_memory__describe(nic, 0, scratch);
	inflight->kind = payload ? PSPIN_PAYLOAD : PSPIN_PROCEED;
	inflight->handler_bytes = payload ? in->payload_bytes - registration->user_header_bytes : 0;
	inflight->reason = SPIN_REASON_SUCCESS;
	her_queue__add(nic, inflight, slot, nic->entry[payload ? NIC_PAYLOAD : NIC_PROCEED][in->is_ip4], 1);
	return DECIDED_HANDLED;
}

/* Returns the reason from the data task's actions and the header handler's verdict. */
static enum spin_reason data_reason(const struct inflight *inflight)
{
	int proceeded = inflight->kind == PSPIN_PROCEED || inflight->reason == SPIN_REASON_PROCEEDED;

	if (inflight->reply.done)
		return SPIN_REASON_REPLIED;
	if (inflight->deposit.done)
		return proceeded ? SPIN_REASON_PROCEEDED : SPIN_REASON_SUCCESS;
	return inflight->reason == SPIN_REASON_HEADER_DROPPED ? SPIN_REASON_HEADER_DROPPED : SPIN_REASON_DROPPED;
}

/* Returns the header's verdict as a reason: PROCEEDED, HEADER_DROPPED or SUCCESS (continue). */
static enum spin_reason header_verdict(const struct hpu_scratch *scratch)
{
	const uint32_t header_rc = scratch->header & ~(uint32_t)SPIN_RC_COMPLETE;

	return header_rc == SPIN_RC_DROP      ? SPIN_REASON_HEADER_DROPPED
	       : header_rc == SPIN_RC_PROCEED ? SPIN_REASON_PROCEEDED
					      : SPIN_REASON_SUCCESS;
}

struct spin_event datagram__describe(const struct inflight *inflight, enum spin_event_type type, enum spin_handler_kind kind)
{
	const struct inbound *in = &inflight->arrival.in;
	const uint8_t *ip = inflight->arrival.frame + in->ip_off, *udp = ip + in->ip_bytes;
	struct spin_event event = { .type = type,
				    .handler = kind,
				    .ip_version = in->is_ether ? 0
						  : in->is_ip4 ? 4
							       : 6,
				    .length = in->payload_bytes };

	if (in->is_ip4)
		memcpy(event.src_addr, ip + offsetof(struct spin_ip4, src), 4);
	else if (!in->is_ether)
		memcpy(event.src_addr, ip + offsetof(struct spin_ip6, src), 16);
	if (!in->is_icmp && !in->is_ether) {
		event.src_port = (uint16_t)(udp[0] << 8 | udp[1]);
		event.dst_port = (uint16_t)(udp[2] << 8 | udp[3]);
	}
	return event;
}

/* Reports only the first error of a message as an event. */
static void report_error(struct pspin *nic, struct inflight *inflight, uint32_t error, enum spin_handler_kind kind)
{
	struct spin_event event;

	if (!error || inflight->has_failed)
		return;
	inflight->has_failed = 1;
	event = datagram__describe(inflight, record__error_event(error), kind);
	record__event(nic, &event);
}

void datagram__work(struct pspin *nic, struct inflight *inflight, enum spin_handler_kind kind, const void *item, uint32_t bytes)
{
	struct spin_event event = datagram__describe(inflight, SPIN_EVENT_WORK, kind);

	record__work(nic, &event, item, bytes);
}

/* A handler of the datagram has ended: its result becomes the packet's reason, unless an earlier one failed. */
static void ended(struct pspin *nic, struct inflight *inflight, enum soc_task_kind kind, const struct pspin_task *task)
{
	switch (kind) {
	case SOC_HEADER:
		report_error(nic, inflight, task->error, SPIN_KIND_HEADER);
		inflight->error = task->error;
		if (!task->error)
			inflight->reason = header_verdict(scratchpad__of(nic, inflight->slot));
		break;
	case SOC_PAYLOAD:
		if (inflight->kind == PSPIN_PAYLOAD)
			report_error(nic, inflight, task->error, SPIN_KIND_PAYLOAD);
		if (!inflight->error)
			inflight->error = task->error;
		inflight->reason = inflight->error ? record__error_reason(inflight->error) : data_reason(inflight);
		break;
	default:
		report_error(nic, inflight, task->error, SPIN_KIND_COMPLETION);
	}
}

size_t datagram__leaves(struct pspin *nic, struct inflight *inflight)
{
	struct pspin_packet_record *record = &inflight->record;
	const struct arrival *a = &inflight->arrival;

	record->reason = inflight->reason;
	record->verdict = record__verdict(inflight->reason);
	if (record->verdict == SPIN_VERDICT_DROP)
		return 0;
	record->left_ps = record__ps(nic, record->verdict == SPIN_VERDICT_TX ? inflight->reply.left : inflight->deposit.left);
	if (!record__wants_frame(nic, record))
		return 0;
	if (record->verdict == SPIN_VERDICT_TX)
		return outbound__send(nic->device->frame, a->frame, &a->in, inflight->reply.at, inflight->reply.bytes);
	return outbound__to_host(nic->device->frame, a->frame, a->frame_bytes, &a->in, inflight->deposit.at, inflight->deposit.bytes);
}

void datagram__freed(struct pspin *nic, struct slot *slot)
{
	slot__free(nic, slot);
}

const struct nic_kind datagram_kind = {
	.classify = classify,
	.place = datagram__place,
	.decide = decide,
	.ended = ended,
	.work = datagram__work,
	.leaves = datagram__leaves,
	.freed = datagram__freed,
};
