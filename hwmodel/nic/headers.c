/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include <spin/wire.h>

#include "hwmodel/nic/headers.h"

#define UDP_DST offsetof(struct spin_udp, dst_port)

static uint32_t bytes_of(const struct inbound *in)
{
	return in->ip_off + in->ip_bytes + in->header_bytes;
}

/*
 * The UDP destination port in network byte order. A forward or a reply turns headers in L1 around: there the port is the
 * source's.
 */
static uint16_t port_now(struct pspin *nic, const struct flight *flight, uint32_t packet_l1)
{
	const struct inbound *in = &flight->arrival.in;
	const uint8_t *came = flight->arrival.frame + in->ip_off;
	uint32_t udp = in->ip_bytes;
	size_t src = in->is_ip4 ? offsetof(struct spin_ip4, src) : offsetof(struct spin_ip6, src);
	uint8_t *l1;
	int turned;
	uint16_t port;

	if (storage__find(nic->memory, packet_l1, bytes_of(in) - in->ip_off, 0, &l1, NULL) != MEMORY_L1) {
		memcpy(&port, came + udp + UDP_DST, sizeof(port));
		return port;
	}
	turned = memcmp(l1 + src, came + src, in->is_ip4 ? 4 : 16) || memcmp(l1 + udp, came + udp, sizeof(port));
	memcpy(&port, l1 + udp + (turned ? 0 : UDP_DST), sizeof(port));
	return port;
}

void headers__now(struct pspin *nic, const struct flight *flight, uint32_t packet_l1, uint8_t to[HEADERS_BYTES_MAX])
{
	const struct inbound *in = &flight->arrival.in;
	uint16_t port;

	memcpy(to, flight->arrival.frame, bytes_of(in));
	if (nic->messages || in->is_icmp || in->is_ether) /* theirs stay */
		return;
	port = port_now(nic, flight, packet_l1);
	memcpy(to + in->ip_off + in->ip_bytes + UDP_DST, &port, sizeof(port));
}

/* All that a header handler wrote into a packet that lies in L1. */
static void put_packet_back(struct pspin *nic, const struct flight *flight, uint32_t packet_l1, uint8_t *l2)
{
	uint8_t *l1;

	if (nic->meta.registration.bytes_in_l1 == SPIN_WHOLE_PACKET &&
	    storage__find(nic->memory, packet_l1, flight->placed_bytes, 0, &l1, NULL) == MEMORY_L1)
		memcpy(l2, l1, flight->placed_bytes);
}

/* For a datagram's completion handler: its headers as they came, but for the port. */
static void restore(struct pspin *nic, const struct flight *flight, uint32_t packet_l1, uint8_t *l2)
{
	const struct inbound *in = &flight->arrival.in;
	uint8_t headers[HEADERS_BYTES_MAX];

	headers__now(nic, flight, packet_l1, headers);
	memcpy(l2, headers + in->ip_off, bytes_of(in) - in->ip_off);
}

void headers__put_back(struct pspin *nic, const struct flight *flight, const struct soc_task *task)
{
	uint8_t *l2 = nic->memory->l2_packet + place__offset(flight->place);

	if (nic->device->soc.is_foreign || !task->packet_l1)
		return;
	if (task->kind == SOC_HEADER)
		put_packet_back(nic, flight, task->packet_l1, l2);
	else if (task->kind == SOC_PAYLOAD && task->her->context->completion && !nic->messages)
		restore(nic, flight, task->packet_l1, l2);
}
