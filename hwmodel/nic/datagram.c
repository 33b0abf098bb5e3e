/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A message of one packet on an idle NIC: the packet's place in memory, the
 * tasks in the MPQ engine's order, and what became of it.
 */
#include <string.h>

#include <spin/return.h>

#include "nic.h"
#include "outbound.h"

#define MESSAGE_ID 0u /* home cluster 0 */
#define PACKET_L1 (L1_GLOBAL + L1_PACKETS)
#define SCRATCH_BYTES 1024u

/* Writes a packet's bytes and clears what a longer one left behind them. */
static void place(uint8_t *at, const uint8_t *from, uint32_t bytes, uint32_t *dirty)
{
	memcpy(at, from, bytes);
	if (*dirty > bytes)
		memset(at + bytes, 0, *dirty - bytes);
	*dirty = bytes;
}

static void describe(const struct inbound *in, struct hpu_descriptor *task)
{
	memset(task, 0, sizeof(*task));
	task->handler_mem = L2_HANDLER;
	task->handler_mem_bytes = L2_HANDLER_BYTES;
	task->packet_l1 = PACKET_L1;
	task->packet_bytes = in->packet_bytes;
	for (unsigned i = 0; i < L1_CLUSTERS; i++) {
		task->scratchpad[i] = L1_GLOBAL + i * L1_STRIDE + L1_SCRATCHPADS;
		task->scratchpad_bytes[i] = SCRATCH_BYTES;
	}
	task->host_mem_high = (uint32_t)(HOST_BASE >> 32);
	task->host_mem_low = (uint32_t)HOST_BASE;
	task->host_mem_bytes = HOST_BYTES;
	task->packet_l2 = L2_PACKET;
	task->message_id = MESSAGE_ID;
}

int nic__command(void *arg, const struct hpu_command *command)
{
	struct pspin *nic = arg;
	uint8_t *host;

	if (command->kind == HPU_NIC_SEND) {
		if (command->bytes > sizeof(nic->send))
			return -1;
		if (!nic->sent) {
			memcpy(nic->send, command->nic, command->bytes);
			nic->sent_bytes = command->bytes;
		}
		nic->sent = 1;
		return 0;
	}
	if (command->host < HOST_BASE || command->host - HOST_BASE > HOST_BYTES ||
	    command->bytes > HOST_BYTES - (command->host - HOST_BASE))
		return -1;
	host = nic->memory.host + (command->host - HOST_BASE);
	switch (command->kind) {
	case HPU_TO_HOST:
		memcpy(host, command->nic, command->bytes);
		if (host == nic->memory.host) {
			nic->delivered = 1;
			nic->delivered_bytes = command->bytes;
		}
		break;
	case HPU_FROM_HOST:
		memcpy(command->nic, host, command->bytes);
		break;
	default:
		memcpy(host, command->data, command->bytes);
	}
	return 0;
}

/* Runs a task; returns its error. */
static uint32_t run(struct pspin *nic, enum pspin_task_kind kind, uint32_t function,
		    const struct hpu_descriptor *descriptor, struct pspin_result *out)
{
	struct pspin_task *task = &out->tasks[out->task_count++];
	const struct rv32_stats *loop = &nic->runtime.stats;
	struct hpu_task_result result;

	hpu__run(&nic->hpu, function, descriptor, &result);
	memset(task, 0, sizeof(*task));
	task->kind = kind;
	for (unsigned i = 0; i < RV32_CAUSE_COUNT; i++) {
		uint64_t cycles = result.stats.cycles[i];

		task->cycles[i] = cycles > loop->cycles[i] ? cycles - loop->cycles[i] : 0;
		task->body_cycles += task->cycles[i];
	}
	if (result.stats.instructions > loop->instructions)
		task->instructions = result.stats.instructions - loop->instructions;
	task->nic_sends = result.commands[HPU_NIC_SEND];
	task->host_dmas = result.commands[HPU_TO_HOST] + result.commands[HPU_FROM_HOST];
	task->host_writes = result.commands[HPU_HOST_DIRECT];
	task->error = result.error;
	return result.error;
}

_Static_assert(PSPIN_ERROR_FAIL == HPU_ERROR_FAIL && PSPIN_ERROR_SEGV == HPU_ERROR_SEGV &&
		       PSPIN_ERROR_BAD_RETURN == HPU_ERROR_BAD_RETURN,
	       "what the image writes is what the model reports");

static enum spin_reason error_reason(uint32_t error)
{
	switch (error) {
	case PSPIN_ERROR_FAIL:
		return SPIN_REASON_FAILED;
	case PSPIN_ERROR_BAD_RETURN:
		return SPIN_REASON_BAD_RETURN;
	default: /* PSPIN_ERROR_SEGV, traps, the watchdog */
		return SPIN_REASON_SEGV;
	}
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

static enum spin_reason tasks(struct pspin *nic, const struct inbound *in, struct pspin_result *out)
{
	const struct spin_registration *has = &nic->meta.registration;
	struct hpu_scratch *scratch = (struct hpu_scratch *)(nic->memory.l1[0] + L1_SCRATCHPADS);
	int payload = has->payload && in->payload_bytes;
	enum pspin_task_kind kind = payload ? PSPIN_PAYLOAD : PSPIN_PROCEED;
	enum spin_reason reason = SPIN_REASON_SUCCESS;
	struct hpu_descriptor descriptor;
	uint32_t error = 0, data_error;

	describe(in, &descriptor);
	memset(scratch, 0, sizeof(*scratch));
	if (has->header) {
		error = run(nic, PSPIN_HEADER, nic->entry[NIC_HEADER][in->is_ip4], &descriptor,
			    out);
		if (!error)
			reason = header_verdict(scratch);
	}
	nic->sent = nic->delivered = 0;
	data_error = run(nic, kind, nic->entry[payload ? NIC_PAYLOAD : NIC_PROCEED][in->is_ip4],
			 &descriptor, out);
	if (!error)
		error = data_error;
	reason = error ? error_reason(error) : data_reason(nic, kind, reason);
	if (has->completion)
		run(nic, PSPIN_COMPLETION, nic->completion, &descriptor, out);
	return reason;
}

void nic__handle(struct pspin *nic, const uint8_t *frame, size_t frame_bytes,
		 const struct inbound *in, struct pspin_result *out)
{
	static const enum spin_verdict verdict[] = {
#define VERDICT_(name, verdict_, text) [SPIN_REASON_##name] = SPIN_VERDICT_##verdict_,
		SPIN_REASONS(VERDICT_)
#undef VERDICT_
	};
	const uint8_t *packet = frame + in->ip_off;
	uint32_t in_l1 = nic->meta.registration.bytes_in_l1;

	if (in_l1 == SPIN_WHOLE_PACKET || in_l1 > in->packet_bytes)
		in_l1 = in->packet_bytes;
	place(nic->memory.l2_packet, packet, in->packet_bytes, &nic->dirty_l2);
	place(nic->memory.l1[0] + L1_PACKETS, packet, in_l1, &nic->dirty_l1);
	out->reason = tasks(nic, in, out);
	out->verdict = verdict[out->reason];
	if (out->verdict == SPIN_VERDICT_TX)
		out->frame_bytes =
			outbound__send(nic->frame, frame, in, nic->send, nic->sent_bytes);
	else if (out->verdict == SPIN_VERDICT_PASS)
		out->frame_bytes = outbound__to_host(nic->frame, frame, frame_bytes, in,
						     nic->memory.host, nic->delivered_bytes);
	if (out->verdict != SPIN_VERDICT_DROP)
		out->frame = nic->frame;
}
