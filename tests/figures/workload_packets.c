/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Generates the packets of a workload, that is of a handler in the papers' figures (workload.h). Called by workload.c, for `make figures`,
 * and by `make rtl-kit`. The same workload gives the same packets.
 */
#include <math.h>
#include <string.h>

#include <spin/slmp.h>
#include <spin/wire.h>

#include <kvstore.h>

#include "tests/figures/workload.h"
#include "user/conformance/template/template.h"

#define PORT  9000
#define THETA 1.1 /* PsPIN 4.3: YCSB */

static uint32_t random_next(uint32_t *random)
{
	*random = *random * 1664525 + 1013904223;
	return *random >> 16 | *random << 16;
}

uint32_t workload__zipf(uint32_t *random)
{
	static double below[WORKLOAD_KEYS]; /* cumulative distribution; filling it again gives the same values */
	double at = random_next(random) / 4294967296.0, sum = 0;

	for (unsigned i = 0; below[WORKLOAD_KEYS - 1] == 0 && i < WORKLOAD_KEYS; i++)
		sum += 1 / pow(i + 1, THETA);
	for (unsigned i = 0; sum > 0 && i < WORKLOAD_KEYS; i++)
		below[i] = (i ? below[i - 1] : 0) + 1 / pow(i + 1, THETA) / sum;
	for (uint32_t i = 0; i < WORKLOAD_KEYS; i++)
		if (at < below[i])
			return i;
	return WORKLOAD_KEYS - 1;
}

static unsigned header_bytes(const struct workload *w)
{
	if (w->takes_segments)
		return (unsigned)(sizeof(struct spin_ip4) + sizeof(struct spin_tcp));
	return (unsigned)(sizeof(struct spin_ip4) + sizeof(struct spin_udp) + (w->takes_messages ? sizeof(struct spin_slmp) : 0));
}

unsigned workload__payload_bytes(const struct workload *w, unsigned packet_bytes)
{
	if (packet_bytes < w->bytes_min)
		packet_bytes = w->bytes_min;
	return (packet_bytes - header_bytes(w)) / 4 * 4;
}

unsigned workload__messages(const struct workload *w, unsigned packet_bytes, unsigned packets)
{
	const unsigned each = w->message_bytes / workload__payload_bytes(w, packet_bytes);

	return each ? (packets + each - 1) / each : packets;
}

static void put_request(uint8_t *at, uint32_t *random)
{
	struct kv_message m = { .op = spin_hton16(random_next(random) & 1 ? KV_GET : KV_SET) };

	m.key = spin_hton32(workload__zipf(random));
	memcpy(at, &m, sizeof(m));
}

static void put_payload(struct workload_packets *p, uint8_t *at, unsigned bytes)
{
	const struct workload *w = p->workload;

	for (unsigned i = 0; i < bytes; i += 4) {
		uint32_t number = random_next(&p->random);

		if (w->values)
			number = (uint32_t)((uint64_t)number * w->values >> 32);
		memcpy(at + i, &number, 4);
	}
	if (w->is_kv)
		put_request(at, &p->random);
}

static void put_ip(struct workload_packets *p, uint8_t *at, unsigned ip_payload_bytes)
{
	const unsigned source = p->workload->takes_segments ? p->next << 8 : p->workload->sources ? p->next % p->workload->sources : 0;
	struct spin_ip4 ip = { .version_ihl = 0x45,
			       .ttl = 64,
			       .protocol = p->workload->takes_segments ? SPIN_IP_TCP : SPIN_IP_UDP,
			       .total_length = spin_hton16((uint16_t)(sizeof(ip) + ip_payload_bytes)),
			       .src = spin_hton32(0x0a000000 + source + 1),
			       .dst = spin_hton32(0x0aff0001) };

	ip.checksum = spin_hton16((uint16_t)~template_sum((const uint8_t *)&ip, sizeof(ip), 0));
	memcpy(at, &ip, sizeof(ip));
}

/* Writes the header of a SYN. Its payload, which follows, and the IP header must have been written. */
static void put_tcp(const struct workload_packets *p, uint8_t *at, unsigned payload_bytes)
{
	const unsigned bytes = (unsigned)sizeof(struct spin_tcp) + payload_bytes;
	const uint8_t *addresses = at - 8; /* the last fields of the IP header */
	struct spin_tcp tcp = { .src_port = spin_hton16((uint16_t)(4000 + p->next)),
				.dst_port = spin_hton16(PORT),
				.seq = spin_hton32(p->next * 2654435761u),
				.words = sizeof(tcp) / 4 << 4,
				.flags = SPIN_TCP_SYN,
				.window = spin_hton16(UINT16_MAX) };

	memcpy(at, &tcp, sizeof(tcp));
	tcp.checksum = spin_hton16((uint16_t)~template_sum(at, bytes, template_sum(addresses, 8, SPIN_IP_TCP + bytes)));
	memcpy(at, &tcp, sizeof(tcp));
}

void workload_packets__make(struct workload_packets *p, unsigned last)
{
	const struct workload *w = p->workload;
	const unsigned payload = workload__payload_bytes(w, p->packet_bytes), behind_ip = header_bytes(w) - 20 + payload;
	const unsigned each = w->message_bytes / payload ? w->message_bytes / payload : 1, packet = p->next % each;
	const unsigned flags = SPIN_SLMP_SYN | (packet + 1 == each || p->next == last ? SPIN_SLMP_EOM : 0);
	const struct spin_eth eth = { { 2, 0, 0, 0, 0, 2 }, { 2, 0, 0, 0, 0, 1 }, spin_hton16(SPIN_ETH_IP4) };
	const struct spin_udp udp = { spin_hton16(4000), spin_hton16(w->takes_messages ? SPIN_SLMP_PORT : PORT),
				      spin_hton16((uint16_t)behind_ip), 0 };
	const struct spin_slmp slmp = { spin_hton16((uint16_t)flags), spin_hton32(p->next / each + 1), spin_hton32(packet * payload) };
	uint8_t *at = p->frame + sizeof(eth);

	memcpy(p->frame, &eth, sizeof(eth));
	put_ip(p, at, behind_ip);
	at += sizeof(struct spin_ip4);
	if (!w->takes_segments)
		memcpy(at, &udp, sizeof(udp));
	at += w->takes_segments ? sizeof(struct spin_tcp) : sizeof(udp);
	if (w->takes_messages) {
		memcpy(at, &slmp, sizeof(slmp));
		at += sizeof(slmp);
	}
	put_payload(p, at, payload);
	if (w->takes_segments)
		put_tcp(p, at - sizeof(struct spin_tcp), payload);
	p->frame_bytes = (unsigned)(at - p->frame) + payload;
	p->next++;
}
