/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_PACKET_H
#define SPIN_PACKET_H

/*
 * What a handler sees, may read and may change of a packet.
 *
 * The packet's memory is reached through these accessors only: on BPF they are
 * the bounds checks that the verifier asks for, on the HPU the bare access. The
 * target header defines struct spin_packet and the functions that end in `_`.
 */

/* Header handler's view of a message (sPIN B.3). */
struct spin_header {
	uint32_t length;            /* bytes of the message's payload: as the sender told them (struct spin_slmp_put); else the
			      * packet's, if it is all of the message, a datagram or with EOM; else SPIN_LENGTH_UNKNOWN. Of a get:
			      * what it asks for */
	uint32_t offset;            /* in the matching entry's memory, saturated; 0 for datagrams */
	uint64_t match_bits;        /* 0 where the wire carries none */
	uint64_t hdr_data;          /* 0 where the wire carries none */
	uint32_t type;              /* enum spin_type; a put where the wire does not say. Others come to who registered .takes alone */
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
 * In the calls below `v` is a struct spin_payload *, or a struct spin_header *:
 * there the payload is the first packet's, for the user header (sPIN B.3): its
 * first user_header_bytes bytes, or all of it where none are registered.
 */

/* const TYPE *SPIN_GET(v, off, TYPE): TYPE at byte `off` of the payload, NULL if it ends before. */
#define SPIN_GET(v, off, TYPE) ((const TYPE *)spin_payload_at_((v)->packet, (v)->packet->bytes, (off), sizeof(TYPE)))

/*
 * SPIN_FOR_EACH(v, TYPE, it) statement: `const TYPE *it` walks the payload from
 * its start; a last piece shorter than TYPE is left out. break and continue work.
 */
#define SPIN_FOR_EACH(v, TYPE, it) SPIN_FOR_EACH_(v, TYPE, it)

/*
 * SPIN_ROUNDS(n) in front of SPIN_FOR_EACH: a hint to write n rounds of it one behind the other, n a number, for HPUs that pay three
 * cycles for each jump back. Without it their compiler decides by the body's size. No other engine takes notice.
 */
#define SPIN_ROUNDS(n) SPIN_ROUNDS_(n)

/*
 * In such a walk: which piece `it` is, from 0 on. To be preferred to a counter of one's own, with which the kernel's
 * verifier would look at every turn by itself.
 */
#define SPIN_INDEX(v, it) SPIN_INDEX_(v, it)

/*
 * SPIN_FOR_EACH_WITH(v, TYPE, it, array, first, entry) statement: the same walk, and in step with `it` the pointer `entry`
 * walks an array of the state, of a power of two of elements, from array[first] on. It ends where one of them does.
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
 * Stores to the packet, through a pointer that SPIN_GET or SPIN_FOR_EACH gave.
 * The runtime keeps the wire's checksums right. `at` must be 2-aligned in the payload.
 */
#define spin_set16(v, at, value) spin_store16_((v)->packet, (at), (value))
#define spin_set32(v, at, value) spin_store32_((v)->packet, (at), (value))

/* The same of one byte, anywhere in a piece of a stream (spin_connection()); of packets it does nothing. */
#define spin_set8(v, at, value) spin_store8_((v)->packet, (at), (value))

/* 1 if the packet is IPv4, 0 if it is IPv6, or no IP. */
#define spin_is_ip4(v) spin_is_ip4_((v)->packet)

/*
 * On a socket of TCP the message is one direction of a connection: what comes. Its header handler runs before the first byte, with
 * none to see; payload handlers on the bytes in their order, each once, in pieces of 1 to 8192 that may begin and end anywhere, `offset`
 * counting modulo 2^32; the completion handler when the peer sends no more. What a payload handler needs to know of the bytes before it
 * keeps in its state, by the connection's number, below SPIN_CONNECTIONS_MAX, which no other open connection of the state's contexts has:
 *
 *	struct parser *parser = &state->parser[spin_connection(p) & (SPIN_CONNECTIONS_MAX - 1)];
 *
 * The header handler sets that to its start: another connection had the number before. SPIN_NO_CONNECTION of other packets. TTL and DSCP of
 * a stream are 0, and a stream has no reply. What is dropped has been acknowledged and is never read: the kernel's TCP hands over 1 to about
 * 64 K bytes at a time, and drops either all of that or nothing, so one SPIN_DROP among its pieces drops them all.
 */
#define spin_connection(v) spin_connection_((v)->packet)

/*
 * A number, modulo 2^32, that grows when handlers of this state have not seen a piece of a stream, before the application can read it: there are
 * SPIN_CONNECTIONS_MAX places, and a connection may have eight of them. While a connection is open of which they see nothing, or once a
 * context with sockets of TCP was detached, it grows at each call, as it does in programs with bounded loops (<spin/meta.h>). So what a
 * handler knows of the application's state holds while it is the same as when that was learnt. For all contexts of a state, of datagrams,
 * too. 0 on the HPU and in the host build.
 */
#define spin_connections_missed(v) spin_connections_missed_((v)->packet)

/*
 * SPIN_IP_UDP, SPIN_IP_TCP (of a socket's stream), SPIN_IP_ICMP or SPIN_IP_ICMP6 of <spin/wire.h>: what the rule of the context takes; 0: frames of an
 * EtherType, whose payload is all that is behind the type, padding too, and has no checksum. The payload of an
 * ICMP packet is its message, from the type on (struct spin_icmp); the checksum in it is the runtime's: a value
 * that a handler stores there is overwritten.
 */
#define spin_protocol(v) spin_protocol_((v)->packet)

/* IPv4 addresses in network order; 0 for an IPv6 packet, or no IP. */
#define spin_src_addr4(v) spin_src_addr4_((v)->packet)
#define spin_dst_addr4(v) spin_dst_addr4_((v)->packet)

/* Ports of UDP and TCP in network order; 0 of others. */
#define spin_src_port(v) spin_src_port_((v)->packet)
#define spin_dst_port(v) spin_dst_port_((v)->packet)

/*
 * Of the IP header: the time to live (IPv6: hop limit) as it arrived, and the differentiated services code point, 0 to 63 (of IPv6
 * the upper six bits of the traffic class; the lower two are ECN's). 0 of frames that are not IP. ICMP has them as UDP has.
 */
#define spin_ttl(v)  spin_ttl_((v)->packet)
#define spin_dscp(v) spin_dscp_((v)->packet)

/*
 * The outermost VLAN tag: its VLAN, 0 to 4095 (0: a tag for the priority alone), or SPIN_VLAN_NONE if the packet has none; and its priority
 * (PCP), 0 to 7, 0 without a tag. Whatever the rule takes, frames that are not IP, too. In the kernel they are those of the frame that XDP
 * sees: a driver may have taken the outermost tag off before (`ethtool -K DEV rxvlan off` has it leave that). On the HPU a register tells
 * them, which PsPIN does not have (HPU_TAG in hwmodel/include/hwmodel/registers.h): there every packet is without a tag.
 */
#define SPIN_VLAN_NONE        0xffffffffu
#define spin_vlan(v)          spin_vlan_of_(spin_tag_((v)->packet))
#define spin_vlan_priority(v) ((spin_tag_((v)->packet) & 0xffff) >> 13)

SPIN_INLINE uint32_t spin_vlan_of_(uint32_t tag)
{
	return tag ? tag & 0xfff : SPIN_VLAN_NONE;
}

/* Rewrites the UDP destination port (network order); checksums follow. Datagrams only; of ICMP and frames it does nothing. */
#define spin_set_dst_port(v, port) spin_set_dst_port_((v)->packet, (port))

/*
 * Sends the packet back to where it came from, with the first `bytes` bytes of
 * its payload as it stands now; addresses, ports, lengths and checksums are set.
 * It goes out when the handler returns, and ends there for this host. Give its
 * result back: `return spin_reply(p, n);` - SPIN_REPLIED, or SPIN_SEGV if
 * `bytes` is more than the packet's payload, or of ICMP less than 8. Datagrams only: packets of messages are
 * acknowledged by the NIC.
 */
#define SPIN_NO_REPLY         0xffffffffu /* of struct spin_packet's reply_bytes */
#define spin_reply(p, bytes_) spin_reply_((p)->packet, (p)->packet->bytes, (bytes_))

#endif
