/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_BPF_CHECKSUM_H
#define SPIN_BPF_CHECKSUM_H

/*
 * Internet checksums (RFC 1071, RFC 1624). Sums are kept in 64 bits, added in
 * 32-bit words as they lie in memory, and folded once.
 */
#include "parse.h"

SPIN_INLINE uint16_t spin_fold(uint64_t sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

SPIN_INLINE uint64_t spin_sum_words_(const uint8_t *at, uint32_t words)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < words; i++)
		sum += ((const uint32_t *)at)[i];
	return sum;
}

/* More than a frame without fragments holds. */
#define SPIN_SUM_BYTES_MAX 4096

/* The piece of `words` words that `bytes` has if that bit of it is set, at its place among the others. */
SPIN_INLINE uint64_t spin_sum_piece_(const uint8_t *start, const uint8_t *end, uint32_t bytes, uint32_t words)
{
	const uint8_t *at = spin_opaque_pointer_(start + (bytes & (words * 4 - 4)));

	if (!(bytes & words * 4) || !spin_within_(at + words * 4, end))
		return 0;
	return spin_sum_words_(at, words);
}

/*
 * Sum of `bytes` bytes at `start`; all of them are before `end`, as callers have
 * checked. The small pieces come first: the large ones then begin at an offset
 * that the verifier does not know, and what it learns of the frame's size from
 * each turn of the loop stays with that pointer. So all ways out are one state.
 */
SPIN_INLINE uint64_t spin_sum_bytes(const uint8_t *start, const uint8_t *end, uint32_t bytes)
{
	const uint8_t *at;
	uint64_t sum;

	start = spin_fresh_(start, bytes);
	sum = spin_sum_piece_(start, end, bytes, 1);
	sum += spin_sum_piece_(start, end, bytes, 2);
	sum += spin_sum_piece_(start, end, bytes, 4);
	sum += spin_sum_piece_(start, end, bytes, 8);
	at = spin_opaque_pointer_(start + (bytes & 60));
	for (uint32_t i = 0; i < SPIN_SUM_BYTES_MAX / 64 && i < bytes / 64; i++) {
		if (!spin_within_(at + 64, end))
			break;
		sum += spin_sum_words_(at, 16);
		at += 64;
	}
	if (bytes & 3) {
		bytes = spin_opaque_(bytes);
		at = spin_opaque_pointer_(start + (bytes & (SPIN_SUM_BYTES_MAX - 4)));
		if (bytes & 2 && spin_within_(at + 2, end)) {
			sum += *(const uint16_t *)at;
			at += 2;
		}
		if (bytes & 1 && spin_within_(at + 1, end))
			sum += *at;
	}
	return sum;
}

/* Sum of the pseudo header (RFC 768, RFC 8200) for a UDP length in host byte order. */
SPIN_INLINE uint64_t spin_sum_pseudo(const struct spin_datagram *d, const uint8_t *end, uint32_t udp_bytes)
{
	uint64_t sum = (uint64_t)spin_hton16(SPIN_IP_UDP) + spin_hton16(udp_bytes);
	const struct spin_ip6 *ip6;

	if (d->is_ip4) {
		const struct spin_ip4 *ip = d->ip;

		return sum + ip->src + ip->dst;
	}
	ip6 = (const struct spin_ip6 *)spin_fresh_(d->ip, udp_bytes);
	if (!spin_within_(ip6 + 1, end))
		return 0;
	return sum + spin_sum_words_((const uint8_t *)ip6->src, 8);
}

/* Sum of the whole datagram and pseudo header but for the checksum field. Never 0 mod 0xffff by absence. */
SPIN_INLINE uint64_t spin_udp_sum_(const struct spin_datagram *d, const uint8_t *end, uint32_t payload_bytes)
{
	uint32_t udp_bytes = payload_bytes + sizeof(struct spin_udp);

	return spin_sum_pseudo(d, end, udp_bytes) + d->udp->src_port + d->udp->dst_port +
	       spin_hton16(udp_bytes) + spin_sum_bytes(d->payload, end, payload_bytes);
}

/* The checksum of a datagram as it stands, cut to payload_bytes; a computed 0 is sent as 0xffff. */
SPIN_INLINE uint16_t spin_udp_checksum(const struct spin_datagram *d, const uint8_t *end, uint32_t payload_bytes)
{
	uint16_t checksum = ~spin_fold(spin_udp_sum_(d, end, payload_bytes));

	return checksum ? checksum : 0xffff;
}

/* The folded sum of the pseudo header: what a local sender leaves in the field for an offload to go on from. */
SPIN_INLINE _Bool spin_udp_sum_partial(const struct spin_datagram *d, const uint8_t *end)
{
	return d->udp->checksum == spin_fold(spin_sum_pseudo(d, end, d->payload_bytes + sizeof(struct spin_udp)));
}

/* The field is right; change: what handlers have added to the datagram's sum since it arrived. */
SPIN_INLINE _Bool spin_udp_sum_full(const struct spin_datagram *d, const uint8_t *end, uint64_t change)
{
	/* what was changed is taken back by adding its complement */
	return d->payload_bytes < SPIN_SUM_BYTES_MAX &&
	       spin_fold(spin_udp_sum_(d, end, d->payload_bytes) + (uint16_t)~spin_fold(change) +
			 d->udp->checksum) == 0xffff;
}

/* 0: a host would drop the datagram. */
SPIN_INLINE _Bool spin_udp_sum_good(const struct spin_datagram *d, const uint8_t *end, _Bool accept_partial)
{
	if (!d->udp->checksum)
		return d->is_ip4; /* the sender computed none */
	return spin_udp_sum_full(d, end, 0) || (accept_partial && spin_udp_sum_partial(d, end));
}

SPIN_INLINE _Bool spin_ip4_checksum_right(const struct spin_ip4 *ip, const uint8_t *end, uint32_t header_bytes)
{
	uint64_t sum = spin_sum_words_((const uint8_t *)ip, 5);

	if (header_bytes > sizeof(*ip))
		sum += spin_sum_bytes((const uint8_t *)(ip + 1), end,
				      (header_bytes - sizeof(*ip)) & 63); /* at most 40 */
	return spin_fold(sum) == 0xffff;
}

#endif
