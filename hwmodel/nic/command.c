/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the NIC does with a handler's commands: host memory, and packets out. */
#include <string.h>

#include <spin/put.h>

#include "entry_memory.h"
#include "outbound.h"
#include "task.h"

/* Host memory as this task may reach it: the task's own, and the entry's segments. NULL: it may not. */
static uint8_t *reach(struct pspin *nic, const struct hpu_descriptor *task, const struct hpu_command *command)
{
	uint64_t own = (uint64_t)task->host_mem_high << 32 | task->host_mem_low;
	uint64_t at = command->host - HOST_BASE;
	int is_own = command->host >= own && command->host - own <= task->host_mem_bytes &&
		     command->bytes <= task->host_mem_bytes - (command->host - own);

	if (is_own && own == DEPOSIT_BASE)
		return nic->deposit + (command->host - own);
	if (!is_own && (command->host < HOST_BASE || !entry_memory__holds(nic, nic->arrived.me, at, command->bytes)))
		return NULL;
	return storage__host(&nic->soc.memory, at, command->bytes);
}

static int reply(struct pspin *nic, const struct hpu_command *command)
{
	if (command->bytes > sizeof(nic->send))
		return -1;
	if (!nic->sent) {
		memcpy(nic->send, command->nic, command->bytes);
		nic->sent_bytes = command->bytes;
	}
	nic->sent = 1;
	return 0;
}

static int forward(struct pspin *nic, const struct hpu_command *command)
{
	const struct inbound *in = nic->arrived.in;
	struct spin_request *request;

	if (in->ip_off + command->bytes > sizeof(request->frame))
		return -1;
	request = journal__send(&nic->journal);
	request->type = SPIN_REQUEST_PACKET;
	request->ip_at = in->ip_off;
	request->bytes = (uint32_t)outbound__forward(request->frame, nic->arrived.frame, in, command->nic, command->bytes);
	outbound__destination(request->frame, in, &request->put.target);
	return 0;
}

/* A datagram's target is told nothing but the bytes. */
static int put(struct pspin *nic, const struct hpu_descriptor *task, const struct hpu_command *command)
{
	const struct inbound *in = nic->arrived.in;
	struct spin_request *request;
	struct spin_put put;

	memcpy(&put, command->put, sizeof(put));
	if (put.target.ip_version != (in->is_ip4 ? 4 : 6))
		return -1;
	if (!command->nic) {
		if (!nic->messages || !reach(nic, task, command))
			return -1;
		request = journal__send(&nic->journal);
		request->type = SPIN_REQUEST_PUT;
		request->bytes = command->bytes;
		request->start = (uint32_t)(command->host - HOST_BASE);
		outbound__destination(nic->arrived.frame, in, &request->source);
		request->put = put;
		return 0;
	}
	if (command->bytes > SPIN_PUT_BYTES_MAX)
		return -1;
	request = journal__send(&nic->journal);
	request->type = SPIN_REQUEST_PACKET;
	request->ip_at = in->ip_off;
	request->put.target = put.target;
	request->bytes = outbound__put(request->frame, nic->arrived.frame, in, &put, nic->messages ? &nic->put_id : NULL,
				       command->nic, command->bytes);
	if (nic->messages)
		nic->put_id++;
	return 0;
}

static int send(struct pspin *nic, const struct hpu_descriptor *task, const struct hpu_command *command)
{
	switch (command->flow) {
	case HPU_SEND_REPLY:
		return reply(nic, command);
	case HPU_SEND_FORWARD:
		return forward(nic, command);
	default:
		return put(nic, task, command);
	}
}

int nic__command(void *arg, struct soc_task *soc_task, const struct hpu_command *command)
{
	const struct hpu_descriptor *task = &soc_task->hpu->task;
	struct pspin *nic = arg;
	uint8_t *host;

	if (command->kind == HPU_NIC_SEND)
		return nic->arrived.frame ? send(nic, task, command) : -1;
	host = reach(nic, task, command);
	if (!host)
		return -1;
	switch (command->kind) {
	case HPU_TO_HOST:
		memcpy(host, command->nic, command->bytes);
		if (host == nic->deposit || nic->messages) { /* of messages all there is counts */
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

void task__forget_commands(struct pspin *nic)
{
	nic->sent = nic->delivered = 0;
	nic->sent_bytes = nic->delivered_bytes = 0;
}
