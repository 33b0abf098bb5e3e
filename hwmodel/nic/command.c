/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Executes a handler's commands on the modelled NIC: transfers to and from host memory, and packets to send. Called by her_queue.c,
 * which the SoC tells when a handler issues a command and when the command's times are known.
 */
#include <string.h>

#include <spin/put.h>
#include <spin/target/rv32_entry.h>
#include <spin/wire.h>

#include "hwmodel/nic/command.h"
#include "hwmodel/nic/memory.h"
#include "hwmodel/nic/message_state.h"
#include "hwmodel/nic/outbound.h"
#include "hwmodel/nic/record.h"
#include "hwmodel/nic/slots.h"

/* Ethernet with two tags, IP and TCP with options */
#define HEADERS_BYTES_MAX 160u

/*
 * --- headers ---
 *
 * A packet's headers, as one handler leaves them for the next one. The machine copies the packet from L2 again for each task, so the
 * NIC restores the headers here.
 */

#define UDP_DST offsetof(struct spin_udp, dst_port)

static uint32_t header_bytes(const struct inbound *in)
{
	return in->ip_off + in->ip_bytes + in->header_bytes;
}

/*
 * Returns the UDP destination port in network byte order. If a forward or a reply has swapped the headers in L1, the port is in the
 * source's field.
 */
static uint16_t current_port(struct pspin *nic, const struct inflight *inflight, uint32_t packet_l1)
{
	const struct inbound *in = &inflight->arrival.in;
	const uint8_t *arrived = inflight->arrival.frame + in->ip_off;
	uint32_t udp = in->ip_bytes;
	size_t src = in->is_ip4 ? offsetof(struct spin_ip4, src) : offsetof(struct spin_ip6, src);
	uint8_t *l1;
	int is_swapped;
	uint16_t port;

	if (storage__find(nic->memory, packet_l1, header_bytes(in) - in->ip_off, 0, &l1, NULL) != MEMORY_L1) {
		memcpy(&port, arrived + udp + UDP_DST, sizeof(port));
		return port;
	}
	is_swapped = memcmp(l1 + src, arrived + src, in->is_ip4 ? 4 : 16) || memcmp(l1 + udp, arrived + udp, sizeof(port));
	memcpy(&port, l1 + udp + (is_swapped ? 0 : UDP_DST), sizeof(port));
	return port;
}

static void current_headers(struct pspin *nic, const struct inflight *inflight, uint32_t packet_l1, uint8_t to[HEADERS_BYTES_MAX])
{
	const struct inbound *in = &inflight->arrival.in;
	uint16_t port;

	memcpy(to, inflight->arrival.frame, header_bytes(in));
	if (nic->messages || in->is_tcp || in->is_icmp || in->is_ether) /* their headers do not change */
		return;
	port = current_port(nic, inflight, packet_l1);
	memcpy(to + in->ip_off + in->ip_bytes + UDP_DST, &port, sizeof(port));
}

/* Writes back all that a header handler changed in a packet that is wholly in L1. */
static void write_back_packet(struct pspin *nic, const struct inflight *inflight, uint32_t packet_l1, uint8_t *l2)
{
	uint8_t *l1;

	if (nic->meta.registration.bytes_in_l1 == SPIN_WHOLE_PACKET &&
	    storage__find(nic->memory, packet_l1, inflight->placed_bytes, 0, &l1, NULL) == MEMORY_L1)
		memcpy(l2, l1, inflight->placed_bytes);
}

/* Restores a datagram's headers for its completion handler: as they arrived, except for the port. */
static void restore_headers(struct pspin *nic, const struct inflight *inflight, uint32_t packet_l1, uint8_t *l2)
{
	const struct inbound *in = &inflight->arrival.in;
	uint8_t headers[HEADERS_BYTES_MAX];

	current_headers(nic, inflight, packet_l1, headers);
	memcpy(l2, headers + in->ip_off, header_bytes(in) - in->ip_off);
}

void headers__put_back(struct pspin *nic, const struct inflight *inflight, const struct soc_task *task)
{
	uint8_t *l2 = nic->memory->l2_packet + inflight__offset(inflight);

	if (nic->device->soc.third_party_image || !task->packet_l1)
		return;
	if (task->kind == SOC_HEADER)
		write_back_packet(nic, inflight, task->packet_l1, l2);
	else if (task->kind == SOC_PAYLOAD && task->her->context->completion && !nic->messages)
		restore_headers(nic, inflight, task->packet_l1, l2);
}

/* --- commands --- */

/*
 * The host memory that a command accesses: an offset in the context's host memory, or in the area that a datagram's default
 * action fills.
 */
struct host_range {
	uint64_t at;
	int is_deposit;
};

/* Finds a command's host memory in the task's own or in the entry's segments. Returns 0 if it is in neither. */
static int find_host_range(struct pspin *nic, const struct inflight *inflight, const struct hpu_command *command, struct host_range *out)
{
	const struct soc_context *own = &inflight->slot->context;
	uint64_t at = command->host - HOST_BASE;

	if (command->host >= own->host_mem && command->host - own->host_mem <= own->host_mem_bytes &&
	    command->bytes <= own->host_mem_bytes - (command->host - own->host_mem)) {
		out->is_deposit = own->host_mem == DEPOSIT_BASE;
		out->at = out->is_deposit ? command->host - own->host_mem : at;
		return 1;
	}
	*out = (struct host_range){ .at = at };
	return command->host >= HOST_BASE &&
	       entry_memory__holds(nic, inflight->slot->mpq ? inflight->slot->mpq->me : 0, at, command->bytes);
}

/*
 * Handles a command of a program of PsPIN's API outside the task's host memory, as PsPIN's simulator does. Returns -1 for other
 * programs.
 */
static int access_outside(struct pspin *nic, const struct hpu_command *command)
{
	if (!nic->image.entries_at)
		return -1;
	if (!nic->traffic.host_outside++)
		nic->traffic.host_outside_at = command->host;
	if (command->kind == HPU_FROM_HOST)
		memset(command->nic, 0, command->bytes);
	return 0;
}

/* Keeps the first reply; later ones are ignored. */
static int save_reply(struct pspin *nic, struct inflight *inflight, const struct hpu_command *command)
{
	if (command->bytes > PACKET_BYTES_MAX)
		return -1;
	if (!inflight->reply.done) {
		if (out_buffer__store(&inflight->reply, 0, command->nic, command->bytes)) {
			nic->event_log.incomplete = 1;
			return 0;
		}
		inflight->reply.bytes = command->bytes;
		inflight->reply.left = 0;
	}
	inflight->reply.done = 1;
	return 0;
}

static int forward(struct pspin *nic, const struct inflight *inflight, const struct hpu_command *command)
{
	const struct inbound *in = &inflight->arrival.in;
	struct spin_request *request;

	if (in->ip_off + command->bytes > sizeof(request->frame))
		return -1;
	request = record__send(nic);
	request->type = SPIN_REQUEST_PACKET;
	request->ip_at = in->ip_off;
	request->bytes = (uint32_t)outbound__forward(request->frame, inflight->arrival.frame, in, command->nic, command->bytes);
	outbound__destination(request->frame, in, &request->put.target);
	record__sent(nic, request);
	return 0;
}

/* Checks a put that is to be acknowledged. Returns 0, or -1 if the context or its options do not allow it. */
static int check_acked(const struct pspin *nic, const struct hpu_command *command)
{
	struct spin_put_acked put;

	if (command->flow != HPU_SEND_ACKED)
		return 0;
	memcpy(&put, command->put, sizeof(put));
	return nic->messages && !(put.options & ~(uint32_t)SPIN_PUT_OPTIONS) ? 0 : -1;
}

/* Fills in the fields that the host's library needs for the acknowledgement. */
static void describe_acked(const struct pspin *nic, const struct inflight *inflight, const struct hpu_command *command,
			   struct spin_request *request)
{
	struct spin_put_acked put;

	if (command->flow != HPU_SEND_ACKED)
		return;
	memcpy(&put, command->put, sizeof(put));
	request->acked = 1;
	request->options = put.options;
	request->user_ptr = put.user_ptr;
	request->me = inflight->slot->mpq->me;
	request->me_serial = nic->messages->mes[request->me].serial;
	outbound__destination(inflight->arrival.frame, &inflight->arrival.in, &request->source);
}

static int put_from_host(struct pspin *nic, const struct inflight *inflight, const struct hpu_command *command, const struct spin_put *put)
{
	struct spin_request *request;
	struct host_range from;

	if (!nic->messages || !find_host_range(nic, inflight, command, &from))
		return -1;
	request = record__send(nic);
	describe_acked(nic, inflight, command, request);
	request->type = SPIN_REQUEST_PUT;
	request->bytes = command->bytes;
	request->start = (uint32_t)from.at;
	outbound__destination(inflight->arrival.frame, &inflight->arrival.in, &request->source);
	request->put = *put;
	record__sent(nic, request);
	return 0;
}

/* In a context of datagrams a put carries only the bytes, without SLMP. */
static int send_put(struct pspin *nic, const struct inflight *inflight, uint32_t packet_l1, const struct hpu_command *command)
{
	uint8_t headers[HEADERS_BYTES_MAX];
	const struct inbound *in = &inflight->arrival.in;
	struct spin_request *request;
	const struct outbound_request kind = { .type = command->flow == HPU_SEND_GET      ? SPIN_TYPE_GET
						       : command->flow == HPU_SEND_ATOMIC ? SPIN_TYPE_ATOMIC
											  : SPIN_TYPE_PUT,
					       .detail = command->detail };
	struct spin_put put;

	memcpy(&put, command->put, sizeof(put));
	if (put.target.ip_version != (in->is_ip4 ? 4 : 6) || check_acked(nic, command))
		return -1;
	if (!command->nic)
		return put_from_host(nic, inflight, command, &put);
	if (command->bytes > SPIN_PUT_BYTES_MAX)
		return -1;
	current_headers(nic, inflight, packet_l1, headers);
	request = record__send(nic);
	describe_acked(nic, inflight, command, request);
	request->type = request->acked ? SPIN_REQUEST_PUT_BYTES : SPIN_REQUEST_PACKET;
	request->ip_at = in->ip_off;
	request->put.target = put.target;
	request->bytes =
		outbound__put(request->frame, headers, in, &put, &kind, nic->messages ? &nic->put_id : NULL, command->nic, command->bytes);
	if (nic->messages)
		nic->put_id++;
	record__sent(nic, request);
	return 0;
}

/* Performs a command that sends: a reply, the packet itself to another host, or a put. Returns -1 if it is invalid. */
static int send(struct pspin *nic, struct inflight *inflight, const struct soc_task *task, const struct hpu_command *command)
{
	if (nic->device->soc.third_party_image)
		return save_reply(nic, inflight, command);
	switch (command->flow) {
	case HPU_SEND_REPLY:
		return save_reply(nic, inflight, command);
	case HPU_SEND_FORWARD:
		return forward(nic, inflight, command);
	default:
		return send_put(nic, inflight, task->hpu->task.packet_l1, command);
	}
}

/* The default action's transfer of a packet to the host. */
static int deposit_packet(struct pspin *nic, struct inflight *inflight, const struct hpu_command *command, uint64_t at)
{
	const uint8_t *from = command->kind == HPU_TO_HOST ? command->nic : (const uint8_t *)command->data;

	if (command->kind == HPU_FROM_HOST) { /* nothing has been written there yet */
		memset(command->nic, 0, command->bytes);
		return 0;
	}
	if (out_buffer__store(&inflight->deposit, (uint32_t)at, from, command->bytes)) {
		nic->event_log.incomplete = 1;
		return 0;
	}
	if (command->kind == HPU_TO_HOST && !at) {
		inflight->deposit.done = 1;
		inflight->deposit.bytes = command->bytes;
		inflight->delivered_bytes = command->bytes;
	}
	return 0;
}

/* A work item (<spin/work.h>): a write to the start of its window. */
static int send_work_item(struct pspin *nic, struct inflight *inflight, const struct soc_task *task, const struct hpu_command *command)
{
	const enum spin_handler_kind kind = task->kind == SOC_HEADER    ? SPIN_KIND_HEADER
					    : task->kind == SOC_PAYLOAD ? SPIN_KIND_PAYLOAD
									: SPIN_KIND_COMPLETION;

	if (command->kind != HPU_TO_HOST || (uint32_t)command->host || command->bytes - 1 >= SPIN_WORK_BYTES_MAX)
		return -1;
	nic->kind->work(nic, inflight, kind, command->nic, command->bytes);
	return 0;
}

int nic__command(struct pspin *nic, struct inflight *inflight, const struct soc_task *task, const struct hpu_command *command)
{
	struct host_range host_range;
	uint8_t *host;

	if (command->kind == HPU_NIC_SEND)
		return send(nic, inflight, task, command);
	if (nic->work_counts && command->host >> 32 == SPIN_WORK_WINDOW_HIGH)
		return send_work_item(nic, inflight, task, command);
	if (!find_host_range(nic, inflight, command, &host_range))
		return access_outside(nic, command);
	if (host_range.is_deposit)
		return deposit_packet(nic, inflight, command, host_range.at);
	host = storage__host(nic->memory, host_range.at, command->bytes);
	if (!host)
		return -1;
	switch (command->kind) {
	case HPU_TO_HOST:
		memcpy(host, command->nic, command->bytes);
		inflight->delivered_bytes = command->bytes;
		break;
	case HPU_FROM_HOST:
		memcpy(command->nic, host, command->bytes);
		break;
	default:
		memcpy(host, command->data, command->bytes);
	}
	return 0;
}

void nic__command_known(struct pspin *nic, struct inflight *inflight, const struct hpu_command *command)
{
	struct host_range host_range;

	if (command->kind == HPU_NIC_SEND && command->flow == HPU_SEND_REPLY && !inflight->reply.left)
		inflight->reply.left = command->left;
	if (command->kind == HPU_TO_HOST && find_host_range(nic, inflight, command, &host_range) && host_range.is_deposit && !host_range.at)
		inflight->deposit.left = command->left;
}
