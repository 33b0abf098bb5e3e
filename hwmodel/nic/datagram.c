/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A message of one packet on an idle NIC: the tasks in the MPQ engine's order,
 * and what became of the packet.
 */
#include <string.h>

#include <spin/return.h>
#include <spin/wire.h>

#include "entry_memory.h"
#include "outbound.h"
#include "task.h"

#define MESSAGE_ID 0u /* home cluster 0 */
#define SCRATCH_BYTES 1024u

static void describe(const struct pspin *nic, const struct inbound *in, struct hpu_descriptor *task)
{
	task__describe(in->packet_bytes, task);
	for (unsigned i = 0; i < HPU_SCRATCHPADS; i++) {
		task->scratchpad[i] = L1_GLOBAL + i * L1_STRIDE + nic->soc.memory.l1_scratchpads;
		task->scratchpad_bytes[i] = SCRATCH_BYTES;
	}
	task->host_mem_high = (uint32_t)(DEPOSIT_BASE >> 32);
	task->host_mem_low = (uint32_t)DEPOSIT_BASE;
	task->host_mem_bytes = DEPOSIT_BYTES;
	task->message_id = MESSAGE_ID;
}

/* From what the data task did, and what the header handler had said. */
static enum spin_reason data_reason(const struct pspin *nic, enum pspin_task_kind kind,
				    uint32_t verdict)
{
	int proceeded = kind == PSPIN_PROCEED || verdict == SPIN_REASON_PROCEEDED;

	if (nic->sent)
		return SPIN_REASON_REPLIED;
	if (nic->delivered)
		return proceeded ? SPIN_REASON_PROCEEDED : SPIN_REASON_SUCCESS;
	return verdict == SPIN_REASON_HEADER_DROPPED ? SPIN_REASON_HEADER_DROPPED
						     : SPIN_REASON_DROPPED;
}

/* The header's verdict as a reason: PROCEEDED, HEADER_DROPPED or SUCCESS (go on). */
static enum spin_reason header_verdict(const struct hpu_scratch *scratch)
{
	return scratch->header == SPIN_RC_DROP	    ? SPIN_REASON_HEADER_DROPPED
	       : scratch->header == SPIN_RC_PROCEED ? SPIN_REASON_PROCEEDED
						    : SPIN_REASON_SUCCESS;
}

/* The message's first error is its event. */
static void tell(struct pspin *nic, const uint8_t *frame, const struct inbound *in, uint32_t error,
		 enum spin_handler_kind kind)
{
	const uint8_t *ip = frame + in->ip_off, *udp = ip + in->ip_bytes;
	struct spin_event *event;

	if (!error || nic->journal.event_count)
		return;
	event = journal__event(&nic->journal);
	event->type = task__error_event(error);
	event->handler = kind;
	event->ip_version = in->is_ip4 ? 4 : 6;
	if (in->is_ip4)
		memcpy(event->src_addr, ip + offsetof(struct spin_ip4, src), 4);
	else
		memcpy(event->src_addr, ip + offsetof(struct spin_ip6, src), 16);
	event->src_port = (uint16_t)(udp[0] << 8 | udp[1]);
	event->dst_port = (uint16_t)(udp[2] << 8 | udp[3]);
	event->length = in->payload_bytes;
}

static enum spin_reason tasks(struct pspin *nic, const uint8_t *frame, const struct inbound *in)
{
	const struct spin_registration *has = &nic->meta.registration;
	struct hpu_scratch *scratch = (struct hpu_scratch *)(nic->soc.memory.l1[0] + nic->soc.memory.l1_scratchpads);
	int payload = has->payload && in->payload_bytes > has->user_header_bytes;
	enum pspin_task_kind kind = payload ? PSPIN_PAYLOAD : PSPIN_PROCEED;
	enum spin_reason reason = SPIN_REASON_SUCCESS;
	struct hpu_descriptor descriptor;
	uint32_t error = 0, data_error;

	describe(nic, in, &descriptor);
	memset(scratch, 0, sizeof(*scratch));
	scratch->length = in->payload_bytes;
	entry_memory__tell(nic, 0, scratch);
	if (has->header) {
		error = task__run(nic, PSPIN_HEADER, nic->entry[NIC_HEADER][in->is_ip4], &descriptor)->error;
		tell(nic, frame, in, error, SPIN_KIND_HEADER);
		if (!error)
			reason = header_verdict(scratch);
	}
	task__forget_commands(nic);
	data_error = task__run(nic, kind, nic->entry[payload ? NIC_PAYLOAD : NIC_PROCEED][in->is_ip4],
			       &descriptor)->error;
	if (payload)
		tell(nic, frame, in, data_error, SPIN_KIND_PAYLOAD);
	if (!error)
		error = data_error;
	reason = error ? task__error_reason(error) : data_reason(nic, kind, reason);
	if (has->completion || has->message_completion) {
		task__copy_again(nic);
		error = task__run(nic, PSPIN_COMPLETION, nic->completion, &descriptor)->error;
		tell(nic, frame, in, error, SPIN_KIND_COMPLETION);
	}
	return reason;
}

void datagram__handle(struct pspin *nic, const uint8_t *frame, size_t frame_bytes,
		      const struct inbound *in, struct pspin_result *out)
{
	static const enum spin_verdict verdict[] = {
#define VERDICT_(name, verdict_, text) [SPIN_REASON_##name] = SPIN_VERDICT_##verdict_,
		SPIN_REASONS(VERDICT_)
#undef VERDICT_
	};

	nic->arrived.frame = frame;
	nic->arrived.in = in;
	nic->arrived.me = 0;
	task__place(nic, frame + in->ip_off, in->packet_bytes, nic->meta.registration.bytes_in_l1);
	out->reason = tasks(nic, frame, in);
	out->verdict = verdict[out->reason];
	if (out->verdict == SPIN_VERDICT_TX)
		out->frame_bytes =
			outbound__send(nic->frame, frame, in, nic->send, nic->sent_bytes);
	else if (out->verdict == SPIN_VERDICT_PASS)
		out->frame_bytes = outbound__to_host(nic->frame, frame, frame_bytes, in,
						     nic->deposit, nic->delivered_bytes);
	if (out->verdict != SPIN_VERDICT_DROP)
		out->frame = nic->frame;
}
