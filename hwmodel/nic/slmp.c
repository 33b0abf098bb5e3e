/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * SLMP, the message protocol over UDP (<spin/slmp.h>): parses its headers, strips them for the handlers and makes acknowledgements. Called
 * by arrival.c and mpq.c for frames that inbound.c has classified, so their lengths are valid.
 */
#include <string.h>

#include <spin/wire.h>

#include <spin/put.h>

#include "hwmodel/nic/outbound.h"
#include "hwmodel/nic/slmp.h"

#define HEADERS (sizeof(struct spin_udp) + sizeof(struct spin_slmp))

static uint32_t be16(const uint8_t *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t be32(const uint8_t *at)
{
	return be16(at) << 16 | be16(at + 2);
}

static uint64_t be64(const uint8_t *at)
{
	return (uint64_t)be32(at) << 32 | be32(at + 4);
}

static void put_be16(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static uint32_t sum_of(const uint8_t *at, uint32_t bytes)
{
	uint32_t sum = 0, whole = bytes & ~1u;

	for (uint32_t i = 0; i < whole; i += 2)
		sum += be16(at + i);
	if (bytes > whole)
		sum += (uint32_t)at[whole] << 8;
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

/* Is it a valid request, with `bytes` bytes of payload? */
static int is_request(const struct slmp *slmp, uint32_t bytes)
{
	switch (slmp->type) {
	case SPIN_TYPE_PUT:
		return !slmp->atomic;
	case SPIN_TYPE_GET:
		return !slmp->atomic && slmp->flags & SPIN_SLMP_EOM && bytes == sizeof(struct spin_slmp_get) &&
		       slmp->length != SPIN_LENGTH_UNKNOWN;
	default:
		if (slmp->atomic & SPIN_ATOMIC_FETCH) {
			if (bytes < sizeof(struct spin_slmp_get))
				return 0;
			bytes -= (uint32_t)sizeof(struct spin_slmp_get);
		}
		return slmp->flags & SPIN_SLMP_EOM && bytes && bytes <= SPIN_ATOMIC_BYTES_MAX &&
		       (((slmp->atomic & ~SPIN_ATOMIC_FETCH) == SPIN_ATOMIC_ADD32 && !(bytes % 4)) ||
			((slmp->atomic & ~SPIN_ATOMIC_FETCH) == SPIN_ATOMIC_ADD64 && !(bytes % 8)));
	}
}

static int parse_put(const uint8_t *at, uint32_t bytes, unsigned takes, struct slmp *out)
{
	if (out->offset || bytes < sizeof(struct spin_slmp_put) || at[offsetof(struct spin_slmp_put, version)] != SPIN_SLMP_VERSION)
		return -1;
	out->put = 1;
	out->type = at[offsetof(struct spin_slmp_put, op)];
	out->atomic = be16(at + offsetof(struct spin_slmp_put, atomic));
	out->length = be32(at + offsetof(struct spin_slmp_put, length));
	if (!(out->type == SPIN_TYPE_PUT || (out->type == SPIN_TYPE_GET && takes & SPIN_TAKES_GET) ||
	      (out->type == SPIN_TYPE_ATOMIC && takes & (out->atomic & SPIN_ATOMIC_FETCH ? SPIN_TAKES_FETCH : SPIN_TAKES_ATOMIC))) ||
	    !is_request(out, bytes - (uint32_t)sizeof(struct spin_slmp_put)))
		return -1;
	out->match_bits = be64(at + offsetof(struct spin_slmp_put, match_bits));
	out->hdr_data = be64(at + offsetof(struct spin_slmp_put, hdr_data));
	out->me_offset = be64(at + offsetof(struct spin_slmp_put, offset));
	return 0;
}

int slmp__is_acknowledgement(const uint8_t *frame, const struct inbound *in)
{
	return in->payload_bytes >= sizeof(struct spin_slmp) &&
	       be16(frame + in->ip_off + in->ip_bytes + sizeof(struct spin_udp)) == SPIN_SLMP_ACK;
}

int slmp__parse(const uint8_t *frame, const struct inbound *in, int take_put, unsigned takes, struct slmp *out)
{
	uint32_t at = in->ip_off + in->ip_bytes + (uint32_t)sizeof(struct spin_udp);
	uint32_t known = SPIN_SLMP_SYN | SPIN_SLMP_EOM | (take_put ? SPIN_SLMP_PUT : 0);
	uint32_t bytes = in->payload_bytes;

	memset(out, 0, sizeof(*out));
	out->length = SPIN_LENGTH_UNKNOWN;
	out->type = SPIN_TYPE_PUT;
	if (bytes < sizeof(struct spin_slmp))
		return -1;
	out->flags = be16(frame + at + offsetof(struct spin_slmp, flags));
	out->message_id = be32(frame + at + offsetof(struct spin_slmp, message_id));
	out->offset = be32(frame + at + offsetof(struct spin_slmp, offset));
	if (!out->offset)
		out->sum = sum_of(frame + at, bytes);
	at += (uint32_t)sizeof(struct spin_slmp);
	bytes -= (uint32_t)sizeof(struct spin_slmp);
	if ((out->flags & ~known) || (!out->offset && !(out->flags & SPIN_SLMP_SYN)))
		return -1;
	if (out->flags & SPIN_SLMP_PUT) {
		if (parse_put(frame + at, bytes, takes, out))
			return -1;
		at += (uint32_t)sizeof(struct spin_slmp_put);
		bytes -= (uint32_t)sizeof(struct spin_slmp_put);
	}
	out->payload_at = at;
	out->payload_bytes = bytes;
	if (!bytes && !(out->flags & SPIN_SLMP_EOM))
		return -1;
	if (!out->offset && out->flags & SPIN_SLMP_EOM && out->length == SPIN_LENGTH_UNKNOWN)
		out->length = bytes;
	return out->offset > UINT32_MAX - bytes ? -1 : 0;
}

int slmp__of_flow(const uint8_t *frame, const struct inbound *in, struct slmp *out)
{
	const uint32_t udp = in->ip_off + in->ip_bytes;

	memset(out, 0, sizeof(*out));
	out->is_flow = 1;
	out->type = SPIN_TYPE_PUT;
	out->flags = in->is_last ? SPIN_SLMP_EOM : 0;
	out->message_id = be16(frame + udp + offsetof(struct spin_udp, dst_port));
	out->payload_at = udp + (uint32_t)sizeof(struct spin_udp);
	out->payload_bytes = in->payload_bytes;
	out->length = in->is_last ? in->payload_bytes : SPIN_LENGTH_UNKNOWN;
	return out->payload_bytes || in->is_last ? 0 : -1;
}

void slmp__number(struct slmp *slmp, uint8_t *placed, const struct inbound *in, uint32_t offset)
{
	uint8_t *at = placed + sizeof(struct spin_eth) + in->ip_bytes + sizeof(struct spin_udp) + offsetof(struct spin_slmp, offset);

	slmp->offset = offset;
	put_be16(at, offset >> 16);
	put_be16(at + 2, offset);
}

/* Sets the lengths in the IP and UDP headers for a UDP datagram of udp_bytes bytes. */
static void set_lengths(uint8_t *ip, const struct inbound *in, uint32_t udp_bytes)
{
	if (in->is_ip4)
		put_be16(ip + offsetof(struct spin_ip4, total_length), in->ip_bytes + udp_bytes);
	else
		put_be16(ip + offsetof(struct spin_ip6, payload_length), udp_bytes);
	put_be16(ip + in->ip_bytes + offsetof(struct spin_udp, length), udp_bytes);
}

static void swap(uint8_t *a, uint8_t *b, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		uint8_t tmp = a[i];

		a[i] = b[i];
		b[i] = tmp;
	}
}

#define ACK_TTL 64 /* as in a handler's reply */

size_t slmp__acknowledge(uint8_t *to, const uint8_t *frame, const struct inbound *in, uint16_t more)
{
	uint8_t ip[sizeof(struct spin_ip4) + 40 + HEADERS], *udp = ip + in->ip_bytes;
	uint32_t bytes = in->ip_bytes + (uint32_t)HEADERS;

	memcpy(ip, frame + in->ip_off, bytes);
	set_lengths(ip, in, HEADERS);
	if (in->is_ip4) {
		swap(ip + offsetof(struct spin_ip4, src), ip + offsetof(struct spin_ip4, dst), 4);
		ip[offsetof(struct spin_ip4, ttl)] = ACK_TTL;
	} else {
		swap(ip + offsetof(struct spin_ip6, src), ip + offsetof(struct spin_ip6, dst), 16);
		ip[offsetof(struct spin_ip6, hop_limit)] = ACK_TTL;
	}
	swap(udp, udp + 2, 2);
	put_be16(udp + sizeof(struct spin_udp), SPIN_SLMP_ACK | more);
	return outbound__send(to, frame, in, ip, bytes);
}

uint32_t slmp__strip(uint8_t *to, const uint8_t *frame, const struct inbound *in, const struct slmp *slmp)
{
	uint32_t eth = sizeof(struct spin_eth), headers = in->ip_bytes + (uint32_t)HEADERS;

	memcpy(to, frame, eth - 2);
	memcpy(to + eth - 2, frame + in->ip_off - 2, 2);
	if (slmp->is_flow) {
		const uint32_t udp = in->ip_bytes + (uint32_t)sizeof(struct spin_udp);

		memcpy(to + eth, frame + in->ip_off, udp);
		memset(to + eth + udp, 0, sizeof(struct spin_slmp));
		put_be16(to + eth + udp, slmp->flags);
		put_be16(to + eth + udp + offsetof(struct spin_slmp, message_id) + 2, slmp->message_id);
		set_lengths(to + eth, in, (uint32_t)HEADERS + slmp->payload_bytes);
	} else {
		memcpy(to + eth, frame + in->ip_off, headers);
	}
	memcpy(to + eth + headers, frame + slmp->payload_at, slmp->payload_bytes);
	if (slmp->put) {
		set_lengths(to + eth, in, (uint32_t)HEADERS + slmp->payload_bytes);
		put_be16(to + eth + in->ip_bytes + sizeof(struct spin_udp), slmp->flags & ~(uint32_t)SPIN_SLMP_PUT);
	}
	return eth + headers + slmp->payload_bytes;
}
