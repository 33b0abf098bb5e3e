/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_STREAM_H
#define BPF_STREAM_H

/*
 * Runs handlers on the bytes of a TCP connection, which is a message whose end is not known in advance: header handler, payload handler for
 * each piece, completion handler (PsPIN 3.4.2). Included by context.bpf.c.
 *
 * The kernel's TCP delivers the bytes in order and once (a verdict program of a sockmap), whatever was lost, duplicated or merged in
 * transit. TCP has already acknowledged them. So the application never reads a piece that is dropped, and reads a rewritten piece as
 * rewritten; TCP does not notice. A piece is an skb of any length, mostly up to 64 KB. Handlers see 16 KB of it at a time, copied to a
 * unit's buffer after headers that are built from the socket. The program tail-calls itself for the rest. Of handlers that look at a
 * piece's first bytes alone, or at none, the other bytes are not copied, and they see 32 KB at a time.
 *
 * The kernel locks the socket while the program runs, so a stream's own state needs no atomics. But programs of several sockets can run on
 * one CPU: a softirq may interrupt one, and one in process context may be preempted. So HPUs of streams are not CPUs: a program takes a
 * free unit (spin_units) and returns it.
 */
#include "bpf/abi/stream.h"

#define SPIN_AF_INET 2

_Static_assert(SPIN_STREAMS_MAX == SPIN_CONNECTIONS_MAX, "a stream is the handlers' connection");

/* An HPU of streams: the buffer to which a slice is copied for its handlers. */
struct spin_unit {
	struct spin_copy copy;
	struct spin_event event; /* a work item being built (work.h) */
	uint32_t number;         /* its own index */
	uint32_t unused;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct spin_unit);
} spin_units SEC(".maps");

/*
 * When the unit was taken (ticks, not 0); 0: it is free. A program that is ended in a handler, by the work limit, keeps its unit: until its
 * stream's next piece, or until any stream takes it over, after SPIN_UNIT_TICKS. Contexts that share a state share this map, because an
 * HPU's private data is part of the state.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SPIN_HPUS_MAX);
	__type(key, uint32_t);
	__type(value, uint32_t);
} spin_units_taken SEC(".maps");

/* 1: the stream number is in use. Contexts that share a state share this map. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SPIN_STREAMS_MAX);
	__type(key, uint32_t);
	__type(value, uint32_t);
} spin_streams_taken SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct spin_streams_seen);
} spin_streams_seen SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SPIN_STREAMS_MAX);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, uint32_t);
	__type(value, struct spin_stream);
} spin_streams SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 4);
} spin_stream_on SEC(".maps");

/* How many bytes at the start of a slice the handlers may look at, plus 1; 0: all. Set by spincc (user/spincc/reach.c). */
static uint32_t spin_payload_reach_;

SPIN_INLINE uint32_t spin_slice_bytes_(void)
{
	return spin_payload_reach_ ? SPIN_STREAM_BEYOND : SPIN_STREAM_PIECES;
}

/* Returns how many bytes of a slice are copied, if any are. `length` is not 0. */
SPIN_INLINE uint32_t spin_slice_copied_(uint32_t length)
{
	if (spin_payload_reach_ > 1 && length >= spin_payload_reach_)
		return spin_payload_reach_ - 1;
	return spin_masked_length(length, SPIN_STREAM_PIECES);
}

/*
 * The searches below have no loops. They look up the result again and store its number, so that all paths through them are one state for
 * the verifier.
 *
 * Takes a unit for this stream that is free, or was left behind. Returns NULL if there is none.
 */
SPIN_INLINE struct spin_unit *spin_unit_take_(struct spin_stream *stream)
{
	const uint32_t units = spin_config.stream_units;
	const uint32_t now = (uint32_t)spin_ticks() | 1;
	uint32_t at = bpf_get_smp_processor_id() * SPIN_UNITS_OF_CPU, number = 0, *taken, since;
	struct spin_unit *unit;
	_Bool found = 0;

	SPIN_UNROLL_
	for (uint32_t i = 0; i < SPIN_UNIT_TRIES; i++) {
		if (at >= units)
			at = 0;
		number = at++;
		taken = bpf_map_lookup_elem(&spin_units_taken, &number);
		since = taken ? spin_read_once(taken) : now;
		if (taken && (!since || (int32_t)(now - since) > (int32_t)SPIN_UNIT_TICKS) &&
		    __sync_bool_compare_and_swap(taken, since, now)) {
			found = 1;
			break;
		}
	}
	unit = found ? bpf_map_lookup_elem(&spin_units, &number) : NULL;
	if (unit) {
		spin_write_once(&unit->number, number);
		spin_write_once(&stream->unit, number + 1);
		stream->unit_since = now;
	}
	return unit;
}

/*
 * Frees the stream's unit, if it has one. That may be a unit which a program has kept because the work limit of the isolated class ended it
 * in a handler. Such a unit is not freed if another stream has taken it over.
 */
SPIN_INLINE void spin_unit_give_(struct spin_stream *stream)
{
	uint32_t number = spin_read_once(&stream->unit) - 1, *taken = bpf_map_lookup_elem(&spin_units_taken, &number);

	spin_write_once(&stream->unit, 0);
	if (taken)
		(void)__sync_bool_compare_and_swap(taken, stream->unit_since, 0);
}

SPIN_INLINE uint32_t *spin_stream_taken_(uint32_t number)
{
	return bpf_map_lookup_elem(&spin_streams_taken, &number);
}

/*
 * spin_connections_missed() of the handler API: a number that changes whenever bytes may have passed without handlers. Pieces of a
 * connection that has no handlers cannot be counted. So while one is open, each call increments the number.
 */
SPIN_INLINE uint32_t spin_connections_missed_(const struct spin_packet *packet)
{
	uint32_t zero = 0, missed = 0;
	struct spin_streams_seen *seen = bpf_map_lookup_elem(&spin_streams_seen, &zero);

	if (seen && spin_load32(&seen->without))
		spin_add32(&seen->missed, 1);
	if (seen)
		missed = spin_load32(&seen->missed);
	return spin_field_(packet, missed);
}

/* Counts a piece passed without handlers, before the application can read it. */
SPIN_INLINE int spin_stream_miss_(void)
{
	uint32_t zero = 0;
	struct spin_streams_seen *seen = bpf_map_lookup_elem(&spin_streams_seen, &zero);

	if (seen)
		spin_add32(&seen->missed, 1);
	return SK_PASS;
}

/* Frees the stream's slot. The number is freed last, so that its next owner finds the slot free. */
SPIN_INLINE void spin_stream_free_(struct spin_stream *stream)
{
	uint32_t *taken = spin_stream_taken_(spin_read_once(&stream->number));

	spin_write_once(&stream->cookie, 0);
	if (taken)
		spin_store32(taken, 0);
}

/*
 * Returns the stream of a socket; with `make`, allocates a slot if it has none. Returns NULL if none of its candidate slots is free. Only
 * this socket's program allocates its stream, and the kernel runs that one at a time.
 */
SPIN_INLINE struct spin_stream *spin_stream_find_(uint64_t cookie, _Bool make)
{
	const uint32_t first = (uint32_t)cookie * SPIN_STREAM_WAYS;
	struct spin_stream *stream;
	uint32_t number = 0, *taken;
	_Bool found = 0;

	SPIN_UNROLL_
	for (uint32_t i = 0; i < SPIN_STREAM_WAYS; i++) {
		number = (first + i) & (SPIN_STREAMS_MAX - 1);
		stream = bpf_map_lookup_elem(&spin_streams, &number);
		if (stream && spin_read_once(&stream->cookie) == cookie) {
			found = 1;
			break;
		}
	}
	SPIN_UNROLL_
	for (uint32_t i = 0; make && !found && i < SPIN_STREAM_WAYS; i++) {
		number = (first + i) & (SPIN_STREAMS_MAX - 1);
		taken = spin_stream_taken_(number);
		stream = bpf_map_lookup_elem(&spin_streams, &number);
		if (stream && taken && __sync_bool_compare_and_swap(taken, 0, 1)) {
			spin_write_once(&stream->cookie, cookie);
			stream->bytes = stream->dropped_bytes = 0;
			stream->phase = SPIN_STREAM_NEW;
			stream->at = stream->unit = 0;
			found = 1;
		}
	}
	stream = found ? bpf_map_lookup_elem(&spin_streams, &number) : NULL;
	if (stream)
		spin_write_once(&stream->number, number);
	return stream;
}

/* Fills in the packet for handlers, whose frame is in the unit's buffer. */
SPIN_INLINE void spin_stream_packet_(const struct spin_stream *stream, struct spin_unit *unit, uint32_t bytes, struct spin_packet *packet)
{
	const uint32_t hpu = spin_config.hpus - spin_config.stream_units + spin_read_once(&unit->number);
	uint8_t *frame = unit->copy.frame;

	packet->view = (struct spin_view){ SPIN_COPIED, .data = frame, .bytes = SPIN_STREAM_DATA + bytes, .scratch = unit->copy.scratch };
	packet->is_ip4 = (uint32_t)spin_verifier_forget_(&packet->view, ((struct spin_eth *)frame)->type == spin_hton16(SPIN_ETH_IP4));
	packet->ip_at = packet->is_ip4 ? SPIN_STREAM_IP4_AT : SPIN_STREAM_IP6_AT;
	packet->ip_at = (uint32_t)spin_verifier_forget_(&packet->view, packet->ip_at);
	packet->ip = frame + (packet->ip_at & 63);
	packet->udp = (struct spin_udp *)(frame + SPIN_STREAM_UDP_AT);
	packet->payload = packet->start = frame + SPIN_STREAM_DATA;
	packet->is_icmp = packet->is_ether = packet->is_tcp = 0;
	packet->is_stream = 1;
	packet->sum_change = 0;
	packet->stored = 0;
	packet->reply_bytes = packet->deliver_bytes = SPIN_NO_REPLY;
	packet->mpq = (uint32_t)spin_verifier_forget_(&packet->view, spin_read_once(&stream->number));
	packet->hpu = (uint32_t)spin_verifier_forget_(&packet->view, hpu) & (SPIN_HPUS_MAX - 1);
	packet->start_bytes = packet->bytes = bytes;
	packet->ip_bytes = SPIN_STREAM_UDP_AT - SPIN_STREAM_IP6_AT;
	packet->puts = 0;
	packet->ctx = NULL;
	packet->event = &unit->event;
}

/* Builds Ethernet, IP and UDP headers from the socket's addresses and ports. */
SPIN_INLINE void spin_stream_headers_(struct __sk_buff *skb, uint8_t *frame, uint32_t bytes)
{
	struct spin_eth *eth = (struct spin_eth *)frame;
	struct spin_udp *udp = (struct spin_udp *)(frame + SPIN_STREAM_UDP_AT);

	for (int i = 0; i < 6; i++)
		eth->dst[i] = eth->src[i] = 0;
	if (skb->family == SPIN_AF_INET) {
		struct spin_ip4 *ip = (struct spin_ip4 *)(frame + SPIN_STREAM_IP4_AT);

		eth->type = spin_hton16(SPIN_ETH_IP4);
		*ip = (struct spin_ip4){ .version_ihl = 0x45, .protocol = SPIN_IP_TCP, .src = skb->remote_ip4, .dst = skb->local_ip4 };
	} else {
		struct spin_ip6 *ip = (struct spin_ip6 *)(frame + SPIN_STREAM_IP6_AT);

		eth->type = spin_hton16(SPIN_ETH_IP6);
		*ip = (struct spin_ip6){ .next_header = SPIN_IP_TCP };
		/* no loop: the verifier accepts fields of the context only at constant offsets */
		ip->src[0] = skb->remote_ip6[0];
		ip->src[1] = skb->remote_ip6[1];
		ip->src[2] = skb->remote_ip6[2];
		ip->src[3] = skb->remote_ip6[3];
		ip->dst[0] = skb->local_ip6[0];
		ip->dst[1] = skb->local_ip6[1];
		ip->dst[2] = skb->local_ip6[2];
		ip->dst[3] = skb->local_ip6[3];
	}
	udp->src_port = (spin_be16)(skb->remote_port >> 16);
	udp->dst_port = spin_hton16((uint16_t)skb->local_port);
	udp->length = spin_hton16((uint16_t)(bytes + sizeof(*udp)));
	udp->checksum = 0;
}

/* Emits an event for a handler's error. */
SPIN_INLINE void spin_stream_error_(const struct spin_packet *packet, const struct spin_handlers_result *out)
{
	struct spin_datagram d = { .ip = packet->ip, .udp = packet->udp, .is_ip4 = packet->is_ip4 };

	d.payload_bytes = packet->start_bytes;
	if (out->error)
		spin_emit_event_(out, &packet->view, &d, packet->hpu);
}

/* Runs the header handler, which sees no bytes: the length of the first piece is arbitrary. */
SPIN_INLINE void spin_stream_header_(struct spin_packet *packet, struct spin_stream *stream, struct spin_handlers_result *out)
{
	const uint32_t bytes = packet->bytes;
	_Bool completes = 0;

	stream->phase = SPIN_STREAM_DROP; /* if the work limit ends it: it failed, and does not run again for the next piece */
	out->reason = spin_run_header_(packet, 0, out, &completes);
	packet->bytes = bytes;
	if (out->reason == SPIN_PARSED)
		stream->phase = SPIN_STREAM_OPEN;
	else if (out->reason == SPIN_REASON_PROCEEDED)
		stream->phase = completes ? SPIN_STREAM_PROCEED : SPIN_STREAM_OVER;
	else
		stream->phase = SPIN_STREAM_DROP;
}

/* Runs the payload handler on a part of the stream; out->reason is its result. */
SPIN_INLINE void spin_stream_payload_(struct spin_packet *packet, const struct spin_stream *stream, struct spin_handlers_result *out)
{
	struct spin_payload payload = { .packet = packet, .length = packet->bytes, .offset = (uint32_t)stream->bytes };
	uint32_t rc;

	out->reason = SPIN_REASON_PROCEEDED;
	if (!spin_handlers_.payload)
		return;
	spin_run_begins(packet);
	rc = spin_run_ends(packet, spin_handlers_.payload(&payload, &spin_state));
	if (rc == SPIN_RC_SUCCESS)
		out->reason = SPIN_REASON_SUCCESS;
	else if (rc == SPIN_RC_DROP)
		out->reason = SPIN_REASON_DROPPED;
	else
		out->reason = spin_error_reason_(out, rc, SPIN_KIND_PAYLOAD); /* also REPLIED: a stream has no packet to send back */
}

/* Handles one slice of a piece. Returns 1 if the application may read it. */
SPIN_INLINE _Bool spin_stream_slice_(struct __sk_buff *skb, struct spin_stream *stream, uint32_t at, uint32_t bytes)
{
	struct spin_handlers_result out = { .reason = SPIN_REASON_PROCEEDED };
	struct spin_packet packet;
	struct spin_unit *unit;
	uint32_t length, copied;
	_Bool kept;

	spin_unit_give_(stream);
	unit = spin_unit_take_(stream);
	if (!unit) { /* too many programs at once on one CPU, or ended in handlers: the bytes have been acknowledged, so they pass */
		(void)spin_stream_miss_();
		return 1;
	}
	if (!bytes || bytes > spin_slice_bytes_()) {
		spin_unit_give_(stream);
		return 0; /* unreachable: slices are shorter */
	}
	length = spin_masked_length(bytes, spin_slice_bytes_());
	copied = spin_slice_copied_(length);
	if (spin_payload_reach_ != 1 && bpf_skb_load_bytes(skb, at, unit->copy.frame + SPIN_STREAM_DATA, copied)) {
		spin_unit_give_(stream);
		return 0; /* unreachable: the bytes are there */
	}
	spin_stream_headers_(skb, unit->copy.frame, length);
	spin_stream_packet_(stream, unit, length, &packet);
	if (stream->phase == SPIN_STREAM_NEW)
		spin_stream_header_(&packet, stream, &out);
	if (stream->phase == SPIN_STREAM_OPEN)
		spin_stream_payload_(&packet, stream, &out);
	kept = out.reason == SPIN_REASON_SUCCESS || out.reason == SPIN_REASON_PROCEEDED;
	if (kept && packet.stored && spin_payload_reach_ != 1 &&
	    bpf_skb_store_bytes(skb, at, unit->copy.frame + SPIN_STREAM_DATA, copied, 0))
		kept = 0; /* no memory to write: drop the slice rather than deliver the old bytes */
	spin_count_(&packet.view, out.reason, (uint32_t)spin_verifier_forget_(&packet.view, packet.hpu) & (SPIN_HPUS_MAX - 1));
	spin_stream_error_(&packet, &out);
	spin_unit_give_(stream);
	return kept;
}

/* Passes or drops the rest of the piece, as the header handler has decided. */
SPIN_INLINE int spin_stream_rest_(const struct __sk_buff *skb, struct spin_stream *stream, uint32_t bytes)
{
	stream->bytes += bytes;
	if (stream->phase != SPIN_STREAM_DROP && !stream->piece_dropped)
		return SK_PASS;
	stream->dropped_bytes += skb->len;
	return SK_DROP;
}

/* Runs the handlers on the next part of the piece (the bytes of one skb), and calls itself again for the rest. */
SPIN_INLINE int spin_stream_(struct __sk_buff *skb)
{
	const uint64_t cookie = bpf_get_socket_cookie(skb);
	struct spin_stream *stream;
	uint32_t at, bytes;

	if (!cookie)
		return SK_PASS; /* unreachable: the socket is in a map */
	/* handlers must not see a stream from the middle on, if none of its slots was free when it began */
	stream = spin_stream_find_(cookie, skb->priority == SPIN_STREAM_BEGINS);
	if (!stream)
		return spin_stream_miss_(); /* passed as without handlers, because its bytes have been acknowledged */
	at = stream->at;
	if (at >= skb->len)
		at = stream->at = 0;
	if (!at)
		stream->piece_dropped = 0;
	stream->at = 0; /* if the work limit ends the program, the next piece starts at 0 */
	bytes = skb->len - at;
	if (stream->phase >= SPIN_STREAM_PROCEED) /* no more payload handlers */
		return spin_stream_rest_(skb, stream, bytes);
	if (bytes > spin_slice_bytes_())
		bytes = spin_slice_bytes_();
	if (!spin_stream_slice_(skb, stream, at, bytes))
		stream->piece_dropped = 1;
	if (stream->phase == SPIN_STREAM_NEW) { /* no unit for the first byte: as without a slot, handlers must not begin later */
		spin_stream_free_(stream);
		return SK_PASS;
	}
	stream->bytes += bytes;
	stream->at = at + bytes;
	if (stream->at < skb->len)
		bpf_tail_call_static(skb, &spin_stream_on, 0);
	/*
	 * Either the piece is done, or the tail-call limit is reached: 33 programs, 528 KiB. TCP merges segments that come while the
	 * application reads, so a piece may have as many bytes as an skb's page fragments: 17 of up to 32 KiB.
	 */
	bytes = skb->len - stream->at;
	stream->bytes += bytes;
	stream->at = 0;
	if (!stream->piece_dropped)
		return bytes ? spin_stream_miss_() : SK_PASS;
	stream->dropped_bytes += skb->len;
	return SK_DROP;
}

SEC("?sk_skb/stream_verdict")
int spin_stream(struct __sk_buff *skb)
{
	return spin_needs_udp_() ? SK_PASS : spin_stream_(skb);
}

/*
 * Runs the completion handler after the last byte and frees the stream's slot. Returns XDP_PASS when done, XDP_DROP if there is no such
 * stream, XDP_TX if it must be run again.
 */
SPIN_INLINE int spin_stream_ended_(struct xdp_md *ctx)
{
	struct spin_handlers_result out = { .reason = SPIN_REASON_SUCCESS };
	uint32_t length, dropped;
	struct spin_packet packet;
	struct spin_stream *stream;
	struct spin_unit *unit;
	uint64_t cookie;

	if (bpf_xdp_load_bytes(ctx, SPIN_STREAM_DATA, &cookie, sizeof(cookie)))
		return XDP_ABORTED; /* unreachable: libspin passes a whole frame */
	stream = spin_stream_find_(cookie, 0);
	if (!stream)
		return XDP_DROP;
	spin_unit_give_(stream);
	unit = spin_unit_take_(stream);
	if (!unit)
		return XDP_TX; /* no free unit: run again */
	if (stream->phase != SPIN_STREAM_OVER && stream->phase != SPIN_STREAM_NEW &&
	    !bpf_xdp_load_bytes(ctx, 0, unit->copy.frame, SPIN_STREAM_DATA)) {
		spin_stream_packet_(stream, unit, 0, &packet);
		length = stream->bytes < SPIN_LENGTH_UNKNOWN ? (uint32_t)stream->bytes : SPIN_LENGTH_UNKNOWN;
		dropped = stream->dropped_bytes < SPIN_LENGTH_UNKNOWN ? (uint32_t)stream->dropped_bytes : SPIN_LENGTH_UNKNOWN;
		spin_run_completion_(&packet, length, dropped, &out);
		spin_stream_error_(&packet, &out);
	}
	spin_unit_give_(stream);
	spin_stream_free_(stream);
	return XDP_PASS;
}

SEC("?xdp")
int spin_stream_end(struct xdp_md *ctx)
{
	return spin_needs_udp_() ? XDP_ABORTED : spin_stream_ended_(ctx);
}

#endif
