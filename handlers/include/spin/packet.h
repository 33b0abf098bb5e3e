/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_PACKET_H
#define SPIN_PACKET_H

/*
 * A handler's view of a packet, and the accessors to read and change it.
 *
 * The packet's memory may be accessed only through these accessors: on BPF they are the bounds checks that the verifier requires, on the
 * HPU the bare access. The target header defines struct spin_packet and the functions that end in `_`.
 */

/* Header handler's view of a message (sPIN B.3). */
struct spin_header {
	uint32_t length;     /* as told by struct spin_slmp_put, else of a single packet, else SPIN_LENGTH_UNKNOWN; get: as requested */
	uint32_t offset;     /* in the matching entry's memory, saturated; 0 for datagrams */
	uint64_t match_bits; /* 0 if the wire format has none */
	uint64_t hdr_data;   /* 0 if the wire format has none */
	uint32_t type;       /* enum spin_type; a put unless the packet says otherwise. Other types only with .takes */
	struct spin_packet *packet; /* private */
};

/* Payload handler's view of a packet (sPIN B.4). */
struct spin_payload {
	uint32_t length;            /* bytes of payload in this packet, at least 1 */
	uint32_t offset;            /* of this payload in its message; 0 for a datagram */
	struct spin_packet *packet; /* private */
};

/* Completion handler's view of a message (sPIN B.5). */
struct spin_completion {
	uint32_t dropped_bytes; /* see <spin/message.h> */
	_Bool flow_control_triggered;
	uint32_t length;            /* bytes of the message's payload */
	struct spin_packet *packet; /* private: the packet that was handled last, for spin_source() and puts */
};

/*
 * In the calls below `v` is a struct spin_payload * or a struct spin_header *. For a header handler the payload is that of the first
 * packet, for the user header (sPIN B.3): its first user_header_bytes bytes, or all of it if none are registered.
 */

/* const TYPE *SPIN_GET(v, off, TYPE): TYPE at byte `off` of the payload; NULL if it does not fit. */
#define SPIN_GET(v, off, TYPE) ((const TYPE *)spin_payload_at_((v)->packet, (v)->packet->bytes, (off), sizeof(TYPE)))

/*
 * SPIN_FOR_EACH(v, TYPE, it) statement: `const TYPE *it` walks the payload from
 * its start; a last piece shorter than TYPE is left out. break and continue work.
 */
#define SPIN_FOR_EACH(v, TYPE, it) SPIN_FOR_EACH_(v, TYPE, it)

/*
 * SPIN_ROUNDS(n) before SPIN_FOR_EACH: a hint to unroll n iterations, n a number, for HPUs, where each backward jump takes three cycles.
 * Without it their compiler decides by the size of the body. Other engines ignore it.
 */
#define SPIN_ROUNDS(n) SPIN_ROUNDS_(n)

/*
 * In such a walk: the index of the piece `it`, from 0. Prefer it to a counter variable, with which the verifier would follow each iteration
 * separately.
 */
#define SPIN_INDEX(v, it) SPIN_INDEX_(v, it)

/*
 * SPIN_FOR_EACH_WITH(v, TYPE, it, array, first, entry) statement: the same walk, in which `entry` walks an array of the state in step with
 * `it`, from array[first] on. The array must have a power of two of elements. The walk ends when either of them ends.
 */
#define SPIN_FOR_EACH_WITH(v, TYPE, it, array, first, entry) \
	SPIN_FOR_EACH_WITH_(v, TYPE, it, array, SPIN_ENTRIES_WITH_(array), first, entry)

#define SPIN_ENTRIES_WITH_(array)                                                                                                 \
	({                                                                                                                        \
		_Static_assert(!__builtin_types_compatible_p(__typeof__(array), __typeof__(&(array)[0])),                         \
			       "SPIN_FOR_EACH_WITH " #array ": a pointer does not tell how many elements it has; give an array"); \
		_Static_assert((SPIN_ENTRIES_(array) & (SPIN_ENTRIES_(array) - 1)) == 0,                                          \
			       "SPIN_FOR_EACH_WITH " #array ": its elements must be a power of two");                             \
		SPIN_ENTRIES_(array);                                                                                             \
	})

/*
 * Stores to the packet, through a pointer from SPIN_GET or SPIN_FOR_EACH. The runtime updates the checksums. `at` must be 2-aligned in the
 * payload.
 */
#define spin_set16(v, at, value) spin_store16_((v)->packet, (at), (value))
#define spin_set32(v, at, value) spin_store32_((v)->packet, (at), (value))

/* Stores one byte anywhere in a piece of a stream (spin_connection()); has no effect on packets. */
#define spin_set8(v, at, value) spin_store8_((v)->packet, (at), (value))

/* Returns 1 if the packet is IPv4, 0 if it is IPv6 or not IP. */
#define spin_is_ip4(v) spin_is_ip4_((v)->packet)

/*
 * The message is the receive direction of a TCP connection in two kinds of contexts.
 *
 * Segments (SPIN_DELIVER_SEGMENTS): the header handler runs on the SYN (on the first segment seen, if the connection is older than the
 * context); payload handlers run on each segment with payload, in parallel, in any order, and again if TCP sends it again, with its
 * `offset` in the stream, modulo 2^32; the completion handler runs when all bytes up to the FIN have come, or with RST. A dropped segment
 * did not reach the host's TCP, so its sender sends it again. A payload before the first byte seen has an offset near 2^32. The rules
 * are in <spin/segment.h>.
 *
 * Streams, of a TCP socket with handlers of datagrams: the header handler runs before the first byte and sees no bytes; payload handlers
 * see the bytes in order, each once, in pieces of 1 to 32768 that may begin and end anywhere, with `offset` modulo 2^32; the completion
 * handler runs when the peer sends no more. TTL and DSCP are 0. Dropped bytes were acknowledged and are never read: the kernel's TCP
 * delivers 1 to about 64 K bytes at a time and drops all of that or nothing, so one SPIN_DROP among its pieces drops them all.
 *
 * Neither kind has replies. What a payload handler must know of earlier bytes it keeps in its state, by the connection's number below
 * SPIN_CONNECTIONS_MAX, unique among the open connections of the state's contexts (of segments: of its context):
 *
 *	struct parser *parser = &state->parser[spin_connection(p) & (SPIN_CONNECTIONS_MAX - 1)];
 *
 * The header handler must reset it: another connection may have had the number before. SPIN_NO_CONNECTION for other packets.
 */
#define spin_connection(v) spin_connection_((v)->packet)

/*
 * A number, modulo 2^32, that grows when handlers of this state have missed a piece of a stream, before the application can read it: there
 * are SPIN_CONNECTIONS_MAX slots, of which a connection may use any of eight. If none of them is free when its first byte comes, handlers
 * see nothing of it until it is closed. While a connection is open that handlers do not see, or once a context with TCP sockets was
 * detached, the number grows with each call, as it does in programs with bounded loops (<spin/meta.h>). So what a handler knows of the
 * application's state is valid while the number is unchanged. It covers all contexts of a state and may be read for datagrams as well. 0 on
 * the HPU and in the host build.
 */
#define spin_connections_missed(v) spin_connections_missed_((v)->packet)

/*
 * SPIN_IP_UDP, SPIN_IP_TCP (segments and streams), SPIN_IP_ICMP or SPIN_IP_ICMP6 of <spin/wire.h>, according to the context's rule; 0 for
 * frames of an EtherType, whose payload is everything after the type, including padding, and has no checksum. The payload of an ICMP
 * packet is its message, from the type on (struct spin_icmp). The runtime computes its checksum: a value that a handler stores there is
 * overwritten.
 */
#define spin_protocol(v) spin_protocol_((v)->packet)

/* IPv4 addresses in network order; 0 if the packet is IPv6 or not IP. */
#define spin_src_addr4(v) spin_src_addr4_((v)->packet)
#define spin_dst_addr4(v) spin_dst_addr4_((v)->packet)

/* Ports of UDP and TCP in network order; 0 for other protocols. */
#define spin_src_port(v) spin_src_port_((v)->packet)
#define spin_dst_port(v) spin_dst_port_((v)->packet)

/* The flags of a segment's TCP header (SPIN_TCP_SYN, ... of <spin/wire.h>); 0 for other packets, and for streams. */
#define spin_tcp_flags(v) spin_tcp_flags_((v)->packet)

/*
 * From the IP header: the time to live (IPv6: hop limit) as it arrived, and the differentiated services code point, 0 to 63 (IPv6: the
 * upper six bits of the traffic class; the lower two are ECN's). 0 for frames that are not IP.
 */
#define spin_ttl(v)  spin_ttl_((v)->packet)
#define spin_dscp(v) spin_dscp_((v)->packet)

/*
 * The outermost VLAN tag: its VLAN, 0 to 4095 (0: a priority tag), or SPIN_VLAN_NONE if the packet has none; and its priority (PCP), 0 to
 * 7, 0 without a tag. For all kinds of frames. In the kernel they are those of the frame that XDP sees: a driver may have removed the
 * outermost tag before (`ethtool -K DEV rxvlan off` prevents this). On the HPU they are read from a register that PsPIN does not have
 * (HPU_TAG in hwmodel/include/hwmodel/registers.h): there packets have no tag.
 */
#define SPIN_VLAN_NONE        0xffffffffu
#define spin_vlan(v)          spin_vlan_of_(spin_tag_((v)->packet))
#define spin_vlan_priority(v) ((spin_tag_((v)->packet) & 0xffff) >> 13)

SPIN_INLINE uint32_t spin_vlan_of_(uint32_t tag)
{
	return tag ? tag & 0xfff : SPIN_VLAN_NONE;
}

/* Rewrites the UDP destination port (network order) and updates the checksum. Datagrams only; has no effect on other packets. */
#define spin_set_dst_port(v, port) spin_set_dst_port_((v)->packet, (port))

/*
 * Sends the packet back to its sender, with the first `bytes` bytes of its payload as it is now; addresses, ports, lengths and checksums
 * are set. It is sent when the handler returns, and the host does not get it. Return its result: `return spin_reply(p, n);` - SPIN_REPLIED,
 * or SPIN_SEGV if `bytes` is more than the packet's payload, or for ICMP less than 8. Datagrams only: packets of messages are acknowledged
 * by the NIC.
 */
#define spin_reply(p, bytes_) spin_reply_((p)->packet, (p)->packet->bytes, (bytes_))

#endif
