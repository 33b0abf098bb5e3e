/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_SLMP_H
#define BPF_SLMP_H

/*
 * Reads the header of SLMP, the message protocol over UDP (<spin/slmp.h>), from a datagram's payload and checks it: step 6 of
 * <spin/message.h>, for contexts that take messages. Included by flow.h and put_frame.h.
 */
#include <spin/context.h>
#include <spin/slmp.h>

#include "bpf/atomic.h"
#include "bpf/parse.h"

/* The fields of a packet's SLMP headers, in host byte order. */
struct spin_slmp_packet {
	uint32_t flags, message_id, offset;
	uint32_t bytes; /* payload after the headers */
	uint32_t header_bytes;
	/* from the put extension, otherwise defaults */
	uint32_t length;
	uint64_t match_bits, hdr_data, place;
	/* written only for contexts that take more than puts */
	uint32_t type;   /* enum spin_type */
	uint32_t atomic; /* enum spin_atomic | SPIN_ATOMIC_FETCH; 0: not an atomic */
};

/*
 * Messages without SLMP: "Flows" in <spin/message.h>. The rule is constant, so the verifier drops the branch not taken; for contexts of
 * datagrams the compiler does.
 */
SPIN_INLINE _Bool spin_flows_are_messages_(void)
{
	return spin_handlers_.delivery == SPIN_DELIVER_ME && spin_config.rule.has_eom;
}

/* Fills in a packet of a flow. Its offset is set with its number (message.h). Returns 0 if it is MALFORMED. */
SPIN_INLINE _Bool spin_slmp_of_flow_(const struct spin_datagram *d, struct spin_slmp_packet *out)
{
	out->flags = d->is_last * SPIN_SLMP_EOM;
	out->message_id = spin_ntoh16(d->udp->dst_port);
	out->offset = 0;
	out->header_bytes = 0;
	out->bytes = d->payload_bytes;
	if (d->is_last)
		out->length = out->bytes;
	if (spin_handlers_.fragmentation_bytes > 1 && !d->is_last && out->bytes & (spin_handlers_.fragmentation_bytes - 1u))
		return 0;
	return out->bytes || d->is_last;
}

/* One load: for a packed field the compiler makes four. */
SPIN_INLINE spin_be32 spin_word_(const void *at)
{
	return *(const spin_be32 *)at;
}

SPIN_INLINE uint64_t spin_swap64(uint64_t v)
{
	return __builtin_bswap64(v);
}

/* For contexts that take more than puts: returns 1 if it is a valid request that the handlers take. */
SPIN_INLINE _Bool spin_slmp_request_(const struct spin_slmp_put *put, uint32_t bytes, struct spin_slmp_packet *out)
{
	uint32_t op = put->op, atomic = spin_ntoh16(put->atomic), length = spin_ntoh32(put->length);

	out->type = op;
	out->atomic = atomic;
	if (op == SPIN_SLMP_OP_PUT)
		return !atomic;
	if (!(out->flags & SPIN_SLMP_EOM))
		return 0;
	if (op == SPIN_SLMP_OP_GET)
		return spin_handlers_.takes & SPIN_TAKES_GET && !atomic && bytes == sizeof(struct spin_slmp_get) &&
		       length != SPIN_LENGTH_UNKNOWN;
	if (op != SPIN_SLMP_OP_ATOMIC)
		return 0;
	if (spin_handlers_.takes & SPIN_TAKES_FETCH && atomic & SPIN_ATOMIC_FETCH) {
		atomic &= ~SPIN_ATOMIC_FETCH;
		bytes -= sizeof(struct spin_slmp_get); /* wraps if there are fewer, and is then too large below */
	} else if (!(spin_handlers_.takes & SPIN_TAKES_ATOMIC)) {
		return 0;
	}
	if (atomic - 1 > 1)
		return 0;
	return bytes && bytes <= SPIN_ATOMIC_BYTES_MAX && !(bytes & (4 * atomic - 1));
}

/* Parses the header that a message's first packet has in addition: of a put, a get or an atomic. Returns 0 if it is invalid. */
SPIN_INLINE _Bool spin_slmp_put_(const struct spin_view *view, const struct spin_datagram *d, struct spin_slmp_packet *out)
{
	const struct spin_slmp_put *put = (const void *)(d->payload + sizeof(struct spin_slmp));

	if (d->payload_bytes < sizeof(struct spin_slmp) + sizeof(*put) || !spin_inside_(view, put + 1))
		return 0;
	if (out->offset || put->version != SPIN_SLMP_VERSION)
		return 0;
	if (spin_handlers_.takes ? !spin_slmp_request_(put, d->payload_bytes - out->header_bytes - (uint32_t)sizeof(*put), out)
				 : put->op != SPIN_SLMP_OP_PUT || put->atomic)
		return 0;
	out->length = spin_ntoh32(put->length);
	out->match_bits = spin_swap64(put->match_bits);
	out->hdr_data = spin_swap64(put->hdr_data);
	out->place = spin_swap64(put->offset);
	out->header_bytes += sizeof(*put);
	return 1;
}

/* Returns 1 for a target's acknowledgement of what a handler sent (<spin/put.h>). */
SPIN_INLINE _Bool spin_slmp_is_ack(const struct spin_view *view, const struct spin_datagram *d)
{
	const struct spin_slmp *slmp = (const void *)d->payload;

	return d->payload_bytes >= sizeof(*slmp) && spin_inside_(view, slmp + 1) &&
	       *(const spin_be16 *)d->payload == spin_hton16(SPIN_SLMP_ACK);
}

/* Returns 0 if the packet is MALFORMED. */
SPIN_INLINE _Bool spin_slmp_parse(const struct spin_view *view, const struct spin_datagram *d, _Bool take_put, struct spin_slmp_packet *out)
{
	const struct spin_slmp *slmp = (const void *)d->payload;
	uint32_t known = SPIN_SLMP_SYN | SPIN_SLMP_EOM;

	out->header_bytes = sizeof(*slmp);
	out->length = SPIN_LENGTH_UNKNOWN;
	out->match_bits = out->hdr_data = out->place = 0;
	if (spin_handlers_.takes) {
		out->type = SPIN_TYPE_PUT;
		out->atomic = 0;
	}
	if (spin_flows_are_messages_())
		return spin_slmp_of_flow_(d, out);
	if (spin_unlikely(d->payload_bytes < sizeof(*slmp)) || !spin_inside_(view, slmp + 1))
		return spin_unlikely_value(0);
	out->flags = spin_ntoh16(*(const spin_be16 *)d->payload);
	out->message_id = spin_ntoh32(spin_word_(&slmp->message_id));
	out->offset = spin_ntoh32(spin_word_(&slmp->offset));
	if (take_put)
		known |= SPIN_SLMP_PUT;
	if (spin_unlikely(out->flags & ~known) || spin_unlikely(!out->offset && !(out->flags & SPIN_SLMP_SYN)))
		return spin_unlikely_value(0);
	if (spin_unlikely(out->flags & SPIN_SLMP_PUT) && !spin_slmp_put_(view, d, out))
		return spin_unlikely_value(0);
	out->bytes = d->payload_bytes - out->header_bytes;
	if (spin_handlers_.fragmentation_bytes > 1 && !(out->flags & SPIN_SLMP_EOM) &&
	    spin_unlikely(out->bytes & (spin_handlers_.fragmentation_bytes - 1u)))
		return spin_unlikely_value(0);
	if (spin_unlikely(!out->bytes && !(out->flags & SPIN_SLMP_EOM)))
		return spin_unlikely_value(0);
	if (spin_unlikely(!out->offset) && out->flags & SPIN_SLMP_EOM && out->length == SPIN_LENGTH_UNKNOWN)
		out->length = out->bytes;
	if (spin_unlikely(out->bytes > 0xffffffffu - out->offset))
		return spin_unlikely_value(0);
	return 1;
}

/*
 * Hides what the verifier has learned while the header was parsed. Otherwise each kind of packet would be verified through all that
 * follows. A copied frame's header is reloaded from its scratch words instead.
 */
SPIN_INLINE void spin_slmp_forget(struct spin_slmp_packet *slmp)
{
	slmp->flags = spin_verifier_forget32(slmp->flags);
	slmp->length = spin_verifier_forget32(slmp->length);
	slmp->header_bytes = spin_verifier_forget32(slmp->header_bytes);
	if (spin_handlers_.takes) {
		slmp->type = spin_verifier_forget32(slmp->type);
		slmp->atomic = spin_verifier_forget32(slmp->atomic);
	}
}

#endif
