/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_CHECKSUM_H
#define BPF_CHECKSUM_H

/*
 * Internet checksums (RFC 1071, RFC 1624) for parsing and for replies. Sums are kept in 64 bits, added in 32-bit words as they lie in
 * memory, and folded once at the end. Included by actions/act.h, and so by every program that handles packets.
 */
#include "bpf/parse.h"

SPIN_INLINE uint16_t spin_fold(uint64_t sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/*
 * A checksum is right if its sum folds to 0xffff, as all multiples of 0xffff other than 0 do. This returns the product of the sum and the
 * inverse of 0xffff modulo 2^64: for a multiple that is the quotient, for any other number more than every quotient. One multiplication
 * replaces the four steps of folding, each of which waits for the one before. A NIC multiplies numbers of 32 bits only: there it is the
 * folded sum.
 */
SPIN_INLINE uint64_t spin_quotient_(uint64_t sum)
{
#ifdef SPIN_NFP_
	return spin_fold(sum);
#else
	return sum * 0xfffefffefffeffff;
#endif
}

/* Returns 1 if the sum with this quotient folds to 0xffff. */
SPIN_INLINE _Bool spin_divides_(uint64_t quotient)
{
#ifdef SPIN_NFP_
	return quotient == 0xffff;
#else
	return quotient - 1 < UINT64_MAX / 0xffff;
#endif
}

/* Returns 1 if spin_fold(sum) == 0xffff, which is what the sum of a packet with a right checksum folds to. */
SPIN_INLINE _Bool spin_folds_to_ones_(uint64_t sum)
{
	return spin_divides_(spin_quotient_(sum));
}

SPIN_INLINE uint64_t spin_sum_words_(const uint8_t *at, uint32_t words)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < words; i++)
		sum += ((const uint32_t *)at)[i];
	return sum;
}

/* Sums the piece of `words` words if its bit in `bytes` is set. Its offset is given by the higher bits below 64. */
SPIN_INLINE uint64_t spin_sum_piece_(const struct spin_view *view, const uint8_t *start, uint32_t bytes, uint32_t words)
{
	const uint8_t *at = spin_barrier_pointer_(start + (bytes & (words * 4 - 4)));

	if (!(bytes & words * 4) || !spin_within_(at + words * 4, view->end))
		return 0;
	return spin_sum_words_(at, words);
}

/* Sums the pieces of 64 bytes, which follow the smaller ones. */
SPIN_INLINE uint64_t spin_sum_chunks_(const struct spin_view *view, const uint8_t *start, uint32_t bytes)
{
	const uint8_t *at = spin_barrier_pointer_(start + (bytes & 60));
	uint64_t sum = 0;

	for (uint32_t i = 0; i < (spin_offset_mask_(view) + 1) / 64 && i < bytes / 64; i++) {
		if (!spin_within_(at + 64, view->end))
			break;
		sum += spin_sum_words_(at, 16);
		at += 64;
	}
	return sum;
}

/*
 * Sum for a copied datagram: by whole chunks, after clearing the bytes that follow it. What was there, padding or the end of a truncated
 * payload, is not written back to the frame.
 */
SPIN_INLINE uint64_t spin_sum_copied_(const struct spin_view *view, uint8_t *start, uint32_t bytes)
{
	uint32_t off = (uint32_t)spin_verifier_forget_(view, bytes), chunks = (uint32_t)spin_verifier_forget_(view, (bytes + 63) / 64);
	uint64_t *behind = (uint64_t *)(start + (off & (SPIN_COPY_BYTES - 1))), sum = 0, round = 0;

	for (int i = 0; i < 8; i++)
		behind[i] = 0;
	for (off = 0; chunks && spin_can_loop_(&round, SPIN_IP_BYTES_MAX / 64); chunks--) {
		sum += spin_sum_words_(start + (spin_verifier_forget_(view, off) & (SPIN_COPY_BYTES - 1)), 16);
		off += 64;
	}
	return spin_verifier_forget_(view, sum);
}

/*
 * A NIC holds about 2,800 of its instructions, and a context's program has up to four such sums, so there they share one function. The
 * kernel's verifier would follow the loop for each state of a caller, so elsewhere it is inline.
 */
#ifdef SPIN_NFP_
#define SPIN_SUM_FUNCTION_ static __attribute__((noinline))
#else
#define SPIN_SUM_FUNCTION_ SPIN_INLINE
#endif

/*
 * Sum of `bytes` bytes at `start`; the caller has checked that they are in the frame. Small pieces come first: the large ones then begin at
 * an offset that the verifier does not know, and what it learns about the frame's size in each iteration stays with that pointer. So all
 * exits of the loop are one state.
 */
SPIN_SUM_FUNCTION_ uint64_t spin_sum_direct_(const uint8_t *start, uint8_t *end, uint32_t bytes)
{
	const struct spin_view view = { .access = SPIN_DIRECT, .end = end };
	uint64_t sum;

	start = spin_verifier_forget_ptr_(start, bytes);
	sum = spin_sum_piece_(&view, start, bytes, 1);
	sum += spin_sum_piece_(&view, start, bytes, 2);
	sum += spin_sum_piece_(&view, start, bytes, 4);
	sum += spin_sum_piece_(&view, start, bytes, 8);
	sum += spin_sum_chunks_(&view, start, bytes);
	if (bytes & 3) {
		const uint8_t *at;

		bytes = spin_barrier_var_(bytes);
		at = spin_barrier_pointer_(start + (bytes & (spin_offset_mask_(&view) - 3)));
		if (bytes & 2 && spin_within_(at + 2, end)) {
			sum += *(const uint16_t *)at;
			at += 2;
		}
		if (bytes & 1 && spin_within_(at + 1, end))
			sum += *at;
	}
	return sum;
}

SPIN_INLINE uint64_t spin_sum_bytes(const struct spin_view *view, const uint8_t *start, uint32_t bytes)
{
	if (view->access == SPIN_COPIED)
		return spin_sum_copied_(view, (uint8_t *)start, bytes);
	return spin_sum_direct_(start, view->end, bytes);
}

/* Sum of the pseudo header (RFC 768, RFC 8200) of UDP, TCP or ICMPv6, for a length in host byte order. */
SPIN_INLINE uint64_t spin_sum_pseudo(const struct spin_view *view, const struct spin_datagram *d, uint32_t udp_bytes)
{
	uint64_t sum = (uint64_t)spin_hton16(d->is_icmp ? SPIN_IP_ICMP6 : d->is_tcp ? SPIN_IP_TCP : SPIN_IP_UDP) + spin_hton16(udp_bytes);
	const struct spin_ip6 *ip6;

	if (d->is_ip4) {
		const struct spin_ip4 *ip = d->ip;

		return sum + ip->src + ip->dst;
	}
	ip6 = view->access == SPIN_COPIED ? d->ip : (const void *)spin_verifier_forget_ptr_(d->ip, udp_bytes);
	if (!spin_inside_(view, ip6 + 1))
		return 0;
	return sum + spin_sum_words_((const uint8_t *)ip6->src, 8);
}

/* Sum of the datagram and its pseudo header without the checksum field. It is never 0, because it includes the protocol. */
SPIN_INLINE uint64_t spin_udp_sum_(const struct spin_view *view, const struct spin_datagram *d, uint32_t payload_bytes)
{
	uint32_t udp_bytes = payload_bytes + sizeof(struct spin_udp);

	return spin_sum_pseudo(view, d, udp_bytes) + d->udp->src_port + d->udp->dst_port + spin_hton16(udp_bytes) +
	       spin_sum_bytes(view, d->payload, payload_bytes);
}

/* Returns the checksum of a datagram cut to payload_bytes; a computed 0 is sent as 0xffff. */
SPIN_INLINE uint16_t spin_udp_checksum(const struct spin_view *view, const struct spin_datagram *d, uint32_t payload_bytes)
{
	uint16_t checksum = ~spin_fold(spin_udp_sum_(view, d, payload_bytes));

	return checksum ? checksum : 0xffff;
}

/* Returns 1 if spin_fold(sum) == folded. The sum must not be 0; no other sum folds to 0. */
SPIN_INLINE _Bool spin_folds_to_(uint64_t sum, uint16_t folded)
{
	return folded && spin_folds_to_ones_(sum + (uint16_t)~folded);
}

/* Returns 1 if the field is the folded sum of the pseudo header, which a local sender leaves there for checksum offload. */
SPIN_INLINE _Bool spin_udp_sum_partial(const struct spin_view *view, const struct spin_datagram *d)
{
	return spin_folds_to_(spin_sum_pseudo(view, d, d->payload_bytes + sizeof(struct spin_udp)), d->udp->checksum);
}

/*
 * Sum of the datagram with its checksum, as it arrived. `change` is what handlers have added to its sum: adding the complement undoes it.
 */
SPIN_INLINE uint64_t spin_udp_sum_arrived_(const struct spin_view *view, const struct spin_datagram *d, uint64_t change)
{
	return spin_udp_sum_(view, d, d->payload_bytes) + (uint16_t)~spin_fold(change) + d->udp->checksum;
}

/*
 * 1: the quotient of a verified sum is kept in d->quotient, for spin_arrived_partial_() in act.h. With bounded loops it is not: then Linux
 * 6.1 takes 1.7 times the steps for loops over a packet (tests/loops/loops_bins.c).
 */
#ifdef SPIN_BOUNDED_LOOPS
#define SPIN_KEEPS_QUOTIENT_ 0
#else
#define SPIN_KEEPS_QUOTIENT_ 1
#endif

/* Returns 0 if a host would drop the datagram. */
SPIN_INLINE _Bool spin_udp_sum_good(const struct spin_view *view, struct spin_datagram *d, _Bool accept_partial)
{
	uint64_t quotient;

	if (SPIN_KEEPS_QUOTIENT_) /* without a checksum it is not used, but to the verifier it is like that of a sum */
		d->quotient = spin_quotient_(d->udp->length);
	if (!d->udp->checksum)
		return d->is_ip4; /* the sender computed no checksum */
	quotient = spin_quotient_(spin_udp_sum_arrived_(view, d, 0));
	if (SPIN_KEEPS_QUOTIENT_)
		d->quotient = quotient;
	return spin_divides_(quotient) || (accept_partial && spin_udp_sum_partial(view, d));
}

/* Returns the length of a TCP segment with its header. */
SPIN_INLINE uint32_t spin_tcp_bytes_(const struct spin_datagram *d)
{
	return d->payload_at - d->udp_at + d->payload_bytes;
}

/* Returns 1 if the field is the folded sum of the pseudo header, as for UDP. */
SPIN_INLINE _Bool spin_tcp_sum_partial(const struct spin_view *view, const struct spin_datagram *d)
{
	return spin_folds_to_(spin_sum_pseudo(view, d, spin_tcp_bytes_(d)), ((const struct spin_tcp *)d->udp)->checksum);
}

/* Like spin_udp_sum_arrived_(), for a TCP segment. */
SPIN_INLINE uint64_t spin_tcp_sum_arrived_(const struct spin_view *view, const struct spin_datagram *d, uint64_t change)
{
	const uint32_t bytes = spin_tcp_bytes_(d);
	const uint64_t sum = spin_sum_pseudo(view, d, bytes) + spin_sum_bytes(view, (const uint8_t *)d->udp, bytes);

	return sum + (uint16_t)~spin_fold(change);
}

SPIN_INLINE _Bool spin_tcp_sum_good(const struct spin_view *view, struct spin_datagram *d, _Bool accept_partial)
{
	const uint64_t quotient = spin_quotient_(spin_tcp_sum_arrived_(view, d, 0));

	if (SPIN_KEEPS_QUOTIENT_)
		d->quotient = quotient;
	return spin_divides_(quotient) || (accept_partial && spin_tcp_sum_partial(view, d));
}

/* Sum of an ICMP message of `bytes` bytes, for ICMPv6 with its pseudo header. */
SPIN_INLINE uint64_t spin_icmp_sum(const struct spin_view *view, const struct spin_datagram *d, uint32_t bytes)
{
	return (d->is_ip4 ? 0 : spin_sum_pseudo(view, d, bytes)) + spin_sum_bytes(view, d->payload, bytes);
}

/* Returns the checksum for a sum, 0xffff instead of 0. The two are equivalent, except that a message of zeros needs 0xffff. */
SPIN_INLINE uint16_t spin_icmp_checksum(uint64_t sum)
{
	uint16_t checksum = ~spin_fold(sum);

	return checksum ? checksum : 0xffff;
}

/* Returns 0 if a host would drop the packet. */
SPIN_INLINE _Bool spin_sum_good(const struct spin_view *view, struct spin_datagram *d, _Bool accept_partial)
{
	if (d->is_icmp)
		return spin_folds_to_ones_(spin_icmp_sum(view, d, d->payload_bytes));
	if (d->is_tcp)
		return spin_tcp_sum_good(view, d, accept_partial);
	return spin_udp_sum_good(view, d, accept_partial);
}

/* Sum of at most ten words of IP options, without a branch on their number. */
SPIN_INLINE uint64_t spin_sum_options_(const uint8_t *at, uint32_t words)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < 10; i++)
		sum += ((const uint32_t *)at)[i] & (uint32_t)((int32_t)spin_barrier_var_(i - words) >> 31);
	return sum;
}

SPIN_INLINE _Bool spin_ip4_checksum_right(const struct spin_view *view, const struct spin_ip4 *ip, uint32_t header_bytes)
{
	uint64_t sum = spin_sum_words_((const uint8_t *)ip, 5);

	if (view->access == SPIN_COPIED)
		sum += spin_sum_options_((const uint8_t *)(ip + 1), header_bytes / 4 - 5);
	else if (header_bytes > sizeof(*ip))
		sum += spin_sum_bytes(view, (const uint8_t *)(ip + 1), (header_bytes - sizeof(*ip)) & 63); /* at most 40 */
	return spin_folds_to_ones_(sum);
}

#endif
