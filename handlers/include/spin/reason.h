/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_REASON_H
#define SPIN_REASON_H

/*
 * The disposition of a packet and its reason: one row, one counter, one text. Every engine
 * (BPF, host build, HPU model) gives each packet exactly one of these, so the
 * counters of a context add up to the packets seen.
 *
 * A packet that belongs to no context, or that a host stack would refuse, is passed
 * untouched: the host's stack then drops it and counts it.
 *
 * The tests are made in this order; the first that fails gives the reason:
 *   1. Ethernet header complete (TRUNCATED); at most two VLAN tags of type 0x8100 or
 *      0x88a8, each complete (TRUNCATED, VLAN_DEPTH); type IPv4 or IPv6 (NOT_IP). A frame of another type, if
 *      a context's rule names it, has at least one byte after the type (TRUNCATED) and at most
 *      SPIN_IP_BYTES_MAX (TOO_LONG), and step 6 is next
 *   2. IPv4: 20 bytes present (TRUNCATED), version 4 and header length >= 20
 *      (IP_MALFORMED), protocol UDP, or ICMP if a context takes ICMP or ICMPv6, or TCP if a context takes segments
 *      (NOT_UDP), not a fragment (FRAGMENT), the
 *      whole IP header and 8 bytes after it, UDP's header or the start of an ICMP message, or 20 bytes of TCP's header,
 *      present (TRUNCATED), total length at least that and at most what the frame
 *      holds (IP_LENGTH), and at most SPIN_IP_BYTES_MAX (TOO_LONG)
 *      IPv6: 40 bytes present (TRUNCATED), version 6 (IP_MALFORMED), next header
 *      UDP, or ICMPv6 or TCP as above (44: FRAGMENT; 0, 43, 50, 51, 60, 135, 139, 140: IP6_EXTENSION; else
 *      NOT_UDP), 48 bytes present, or 60 for TCP (TRUNCATED), payload length >= 8, or 20, and at most
 *      what the frame holds (IP_LENGTH), with the header at most SPIN_IP_BYTES_MAX (TOO_LONG)
 *   3. UDP length equal to the IP payload's (UDP_LENGTH); TCP's header of at least 5 words and at most the IP payload (UDP_LENGTH);
 *      ICMP messages have no length of their own. libspin's dispatcher drops such
 *      datagrams of a context: a host would cut and deliver one that is shorter
 *   4. the context's rule, its protocol first (UNMATCHED)
 *   5. IPv4 header checksum (IP_CHECKSUM); then, unless the handler registered
 *      SPIN_CHECKSUM_HOST, the transport checksum (UDP_CHECKSUM): UDP's is right, or 0 on IPv4,
 *      or the bare pseudo-header sum that local senders leave to offloads; TCP's likewise, where 0 does not mean none; that of ICMP and
 *      ICMPv6 is right
 *      then, in a context of messages with SPIN_PUTS, an acknowledgement (ACKNOWLEDGED, <spin/put.h>)
 *   6. the handlers' result; in a context that takes segments (SPIN_DELIVER_SEGMENTS), steps 6 to 12 of <spin/segment.h>; in one that
 *      takes messages (SPIN_DELIVER_ME), steps 6 to 13 of <spin/message.h>. There a packet that a handler ran for, that is parked or that
 *      arrived before is consumed, and acknowledged if it requests that, whatever the verdict
 *      below, which is for datagrams.
 *
 * X(NAME, verdict, "text") - the name in text output and JSON is NAME in lower case.
 */
/* clang-format off */
#define SPIN_REASONS(X) \
	/* of no context: passed untouched to the host */ \
	X(UNMATCHED,       PASS, "no execution context matches") \
	X(NOT_IP,          PASS, "neither IPv4, IPv6 nor an EtherType that a context accepts") \
	X(NOT_UDP,         PASS, "IP, but neither UDP nor TCP or ICMP that a context accepts") \
	X(FRAGMENT,        PASS, "IP fragment") \
	X(IP6_EXTENSION,   PASS, "IPv6 extension header") \
	X(VLAN_DEPTH,      PASS, "more than two VLAN tags") \
	X(TOO_LONG,        PASS, "packet longer than handlers accept") \
	/* a host stack would refuse it: passed untouched to the host, which refuses it */ \
	X(TRUNCATED,       PASS, "frame ends inside a header") \
	X(IP_MALFORMED,    PASS, "IP version or header length wrong") \
	X(IP_LENGTH,       PASS, "IP length disagrees with the frame") \
	X(IP_CHECKSUM,     PASS, "IPv4 header checksum wrong") \
	X(UDP_LENGTH,      PASS, "UDP length, or length of TCP's header, disagrees with IP") \
	X(UDP_CHECKSUM,    PASS, "UDP, TCP or ICMP checksum wrong") \
	/* a handler ran */ \
	X(SUCCESS,         PASS, "handled; a datagram is delivered to the host") \
	X(PROCEEDED,       PASS, "default action: delivered") \
	X(REPLIED,         TX,   "answered by the handler") \
	X(HEADER_DROPPED,  DROP, "dropped by the header handler") \
	X(DROPPED,         DROP, "dropped by the payload handler") \
	X(FAILED,          DROP, "handler returned FAIL") \
	X(SEGV,            DROP, "access by the handler out of bounds") \
	X(BAD_RETURN,      DROP, "handler returned an invalid code") \
	X(OVERRUN,         DROP, "handler took more steps than its budget") \
	/* messages only */ \
	X(ACKNOWLEDGED,    DROP, "acknowledgement of a packet that a handler sent") \
	X(PARKED,          DROP, "waits for the first packet of its message") \
	X(DUPLICATE,       DROP, "duplicate packet") \
	X(MALFORMED,       DROP, "malformed, or inconsistent with its message") \
	X(BEYOND_ENTRY,    DROP, "refused: longer than its matching entry, which does not truncate") \
	/* flow control: not acknowledged, so the sender retransmits */ \
	X(NO_ME,           DROP, "no matching entry is open to the message") \
	X(NO_MPQ,          DROP, "limit of messages in flight reached") \
	X(NO_PARKING,      DROP, "no free buffer to park it until its message's first packet") \
	X(BEYOND_WINDOW,   DROP, "too far beyond the lowest missing packet") \
	/* any context that spreads its packets: not acknowledged */ \
	X(NO_HPU,          DROP, "queues of all HPUs are full")
/* clang-format on */

/* The longest IP packet that handlers see: an MTU of 9,000, and the 9,216 of many switches. */
#define SPIN_IP_BYTES_MAX 9216u

/* The longest in one page of 4096 less XDP's headroom and tailroom. Longer ones are handled by the copying program. */
#define SPIN_LINEAR_BYTES_MAX 3520u

enum spin_reason {
#define SPIN_REASON_ENUM_(name, verdict, text) SPIN_REASON_##name,
	SPIN_REASONS(SPIN_REASON_ENUM_)
#undef SPIN_REASON_ENUM_
		SPIN_REASON_COUNT
};

/* Disposition of a packet; the numbers are this project's, not the kernel's XDP actions. */
enum spin_verdict {
	SPIN_VERDICT_PASS,
	SPIN_VERDICT_DROP,
	SPIN_VERDICT_TX,
};

#endif
