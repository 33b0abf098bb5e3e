/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Builds the packets that a vector (a test as text) expects handlers to send, from the packet that they handled, as <spin/put.h> specifies.
 * Called by the parser of vectors. It shares no code with bpf/actions/put.h or the model, so that it can detect their errors.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spin/slmp.h>
#include <spin/wire.h>

#include "user/conformance/vector/send.h"
#include "user/conformance/vector/wire.h"

#define SEND_TTL  64u
#define MAC_BYTES 6u

static void put16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static uint32_t address_bytes(uint32_t ip_version)
{
	return ip_version == 6 ? 16 : 4;
}

int send_parse_process(const char *word, const char *address, const char *port, struct spin_process *out)
{
	int family = address && strchr(address, ':') ? AF_INET6 : AF_INET;
	char *end = NULL;
	unsigned long number = port ? strtoul(port, &end, 0) : 0;

	*out = (struct spin_process){ .ip_version = family == AF_INET6 ? 6 : 4 };
	if (!address || inet_pton(family, address, out->addr) != 1 || !end || end == port || *end || number > UINT16_MAX)
		return engine_fail(-EINVAL, "write: %s ADDRESS PORT", word);
	out->port = htons((uint16_t)number);
	return 0;
}

void send_destination(const uint8_t *frame, const struct vector_headers *w, struct spin_process *out)
{
	const uint8_t *ip = frame + w->ip_at;

	*out = (struct spin_process){ .ip_version = (uint16_t)w->ip_version };
	memcpy(out->addr, ip + (w->ip_version == 6 ? offsetof(struct spin_ip6, dst) : offsetof(struct spin_ip4, dst)),
	       address_bytes(w->ip_version));
	memcpy(&out->port, frame + w->udp_at + offsetof(struct spin_udp, dst_port), sizeof(out->port));
}

int send_own_address(const struct vector_step *cause, struct spin_process *out)
{
	struct vector_headers w;
	int err = vector_headers_udp(cause->in, cause->in_bytes, &w);

	if (!err)
		send_destination(cause->in, &w, out);
	return err;
}

static int check_version(const struct vector_headers *w, const struct spin_process *target)
{
	return w->ip_version == target->ip_version
		       ? 0
		       : engine_fail(-EINVAL, "the target has IPv%u, the packet IPv%u", target->ip_version, w->ip_version);
}

/* Copies the Ethernet header and tags, with source and destination swapped. */
static int start_frame(struct template *t, const uint8_t *in, const struct vector_headers *w)
{
	template_start(t);
	if (template_append(t, in, w->ip_at))
		return -EINVAL;
	memcpy(t->frame, in + MAC_BYTES, MAC_BYTES);
	memcpy(t->frame + MAC_BYTES, in, MAC_BYTES);
	return 0;
}

int send_put_start(struct template *t, const struct vector_step *cause, const struct spin_process *target, const char *id,
		   const char *fields)
{
	char from[INET6_ADDRSTRLEN], to[INET6_ADDRSTRLEN], line[512];
	struct spin_process here;
	struct vector_headers w;
	int family = target->ip_version == 6 ? AF_INET6 : AF_INET;

	if (vector_headers_udp(cause->in, cause->in_bytes, &w) || check_version(&w, target) || send_own_address(cause, &here) ||
	    start_frame(t, cause->in, &w))
		return -EINVAL;
	inet_ntop(family, here.addr, from, sizeof(from));
	inet_ntop(family, target->addr, to, sizeof(to));
	if (family == AF_INET6)
		snprintf(line, sizeof(line), "ip6 %s > %s hop %u", from, to, SEND_TTL);
	else
		snprintf(line, sizeof(line), "ip4 %s > %s ttl %u id 0 tos 0 fragment 0x4000", from, to, SEND_TTL);
	if (template_line(t, line) < 0)
		return -EINVAL;
	snprintf(line, sizeof(line), "udp %u > %u", ntohs(here.port), ntohs(target->port));
	if (template_line(t, line) < 0)
		return -EINVAL;
	if (!id)
		return *fields ? engine_fail(-EINVAL, "a datagram tells its target nothing: `put to ADDRESS PORT`, or with `id N`") : 0;
	snprintf(line, sizeof(line), "slmp SYN EOM id %s", id);
	if (template_line(t, line) < 0)
		return -EINVAL;
	snprintf(line, sizeof(line), "put%s", fields);
	return template_line(t, line) < 0 ? -EINVAL : 0;
}

void send_put_finish(struct template *t)
{
	uint32_t behind = t->slmp_at >= 0 ? (uint32_t)t->slmp_at + (uint32_t)sizeof(struct spin_slmp) : 0;
	uint32_t bytes = t->bytes - behind - (uint32_t)sizeof(struct spin_slmp_put);
	uint8_t *length = t->frame + behind + offsetof(struct spin_slmp_put, length);

	if (!behind)
		return;
	put16(length, bytes >> 16);
	put16(length + 2, bytes & 0xffff);
}

/* Removes the put extension, which is only for the first hop. Returns the number of bytes removed. */
static uint32_t remove_put(uint8_t *frame, uint32_t bytes, const struct vector_headers *w)
{
	uint8_t *slmp = frame + w->slmp_at, *put = slmp + sizeof(struct spin_slmp);

	if (w->slmp_at + sizeof(struct spin_slmp) + sizeof(struct spin_slmp_put) > bytes || !(slmp[0] & SPIN_SLMP_PUT >> 8))
		return 0;
	slmp[0] &= (uint8_t) ~(SPIN_SLMP_PUT >> 8);
	memmove(put, put + sizeof(struct spin_slmp_put), frame + bytes - put - sizeof(struct spin_slmp_put));
	return sizeof(struct spin_slmp_put);
}

int send_forward(const struct vector_step *cause, const struct spin_process *target, int of_message, struct vector_send *out)
{
	const uint32_t address = address_bytes(target->ip_version);
	struct spin_process here;
	struct vector_headers w;
	struct template t;
	uint8_t *ip, *udp;
	uint32_t end;

	if (vector_headers_udp(cause->in, cause->in_bytes, &w) || check_version(&w, target) || send_own_address(cause, &here) ||
	    start_frame(&t, cause->in, &w))
		return -EINVAL;
	/* padding after the datagram is not forwarded */
	end = w.udp_at + (cause->in[w.udp_at + 4] * 256u + cause->in[w.udp_at + 5]);
	if (end > cause->in_bytes || template_append(&t, cause->in + w.ip_at, end - w.ip_at))
		return engine_fail(-EINVAL, "the packet is not a whole datagram");
	ip = t.frame + w.ip_at;
	udp = t.frame + w.udp_at;
	if (w.ip_version == 6) {
		memcpy(ip + offsetof(struct spin_ip6, src), here.addr, address);
		memcpy(ip + offsetof(struct spin_ip6, dst), target->addr, address);
		ip[offsetof(struct spin_ip6, hop_limit)] = SEND_TTL;
	} else {
		memcpy(ip + offsetof(struct spin_ip4, src), here.addr, address);
		memcpy(ip + offsetof(struct spin_ip4, dst), target->addr, address);
		ip[offsetof(struct spin_ip4, ttl)] = SEND_TTL;
	}
	memcpy(udp + offsetof(struct spin_udp, src_port), &here.port, 2);
	memcpy(udp + offsetof(struct spin_udp, dst_port), &target->port, 2);
	if (of_message)
		end -= remove_put(t.frame, end, &w);
	put16(udp + offsetof(struct spin_udp, checksum), 1); /* not 0: the forwarded packet always gets a checksum */
	vector_wire_finish(t.frame, &w, end);
	out->frame = malloc(end);
	if (!out->frame)
		return engine_fail(-ENOMEM, "no memory");
	memcpy(out->frame, t.frame, end);
	out->frame_bytes = end;
	return 0;
}
