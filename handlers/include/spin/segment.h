/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_SEGMENT_H
#define SPIN_SEGMENT_H

/*
 * TCP segments: contexts registered with SPIN_DELIVER_SEGMENTS (PsPIN 3.4.2: the header handler runs on the SYN, payload handlers on the
 * segments as they arrive, the completion handler when the connection is shut down). Not for handlers: this is what every engine (BPF, host
 * build, HPU model, reference) does with a packet that passed steps 1 to 5 of <spin/reason.h>, where TCP takes UDP's place.
 *
 * A message is what one end of a TCP connection sends. Its key is source and destination address and port. The host's TCP is behind the
 * handlers and decides for itself what it accepts: a segment that a handler drops is sent again, and is handled again. So bytes may be
 * handled twice, and out of order.
 *
 * Sequence numbers are compared modulo 2^32: a is after b if b - a, as a signed number, is negative. Of a segment:
 *
 *	start  its sequence number, plus 1 with SYN: the number of its first payload byte
 *	end    start + its payload bytes; the number of its FIN, if it has one
 *
 * Of a connection:
 *
 *	first     start of the segment that it began with: the offset of a payload is start - first
 *	next      the first byte that is missing: all from `first` up to it were accepted
 *	accepted  ranges of accepted bytes beyond `next`, at most SPIN_SEGMENT_RANGES
 *	fin       number of its FIN, once a segment with FIN was accepted
 *
 * and it is open, refused or ended. For segments that arrive one after the other:
 *
 *   6. To which connection does it belong?
 *      The key's connection is open or refused: to that one, unless it is a SYN without RST whose start is not `first`: then it may begin
 *      another one.
 *      The key's connection has ended: PROCEEDED, unless it is a SYN whose start is not `first`, or has payload with an end after `next`:
 *      then it may begin another one.
 *      The key has no connection: it may begin one if it is a SYN or has payload (the connection is older than the context, or was
 *      evicted); otherwise PROCEEDED. A segment with RST never begins one: PROCEEDED.
 *   7. It may begin a connection, which takes the place of the key's earlier one. On a live interface the state of the kernel's socket for
 *      this connection is looked at, if there is one: PROCEEDED if it would not read the segment (a SYN for a socket that has a connection;
 *      payload for one whose peer has closed), and nothing has changed. It is also looked at for payload of a connection that has ended,
 *      wherever that payload ends: if the socket still reads payload, a connection begins.
 *      NO_MPQ: no place is free, and no connection yields ("Pressure"). Otherwise first = next = start. The header handler runs, with this
 *      segment as its packet and the length SPIN_LENGTH_UNKNOWN. PROCESS_DATA (or no header handler): open, and payload handlers will run.
 *      PROCEED: open, without them. DROP, or an error: refused; HEADER_DROPPED, FAILED, SEGV, BAD_RETURN or OVERRUN. After DROP the
 *      completion handler runs at once.
 *   8. The connection is refused: HEADER_DROPPED.
 *   9. It has RST: if its sequence number is `next`, the connection ends (step 12). PROCEEDED in any case.
 *  10. It has payload beyond a gap, and more ranges would be needed than there are: BEYOND_WINDOW. Otherwise the payload handler runs if it
 *      has payload, and PROCESS_DATA was returned: SUCCESS, DROPPED, FAILED, SEGV, BAD_RETURN, OVERRUN. A reply is BAD_RETURN. Otherwise
 *      PROCEEDED.
 *  11. If the reason is SUCCESS or PROCEEDED, the segment is accepted: from start to end; then its FIN becomes `fin`, unless that is before
 *      `next`. A `fin` that `next` has passed was wrong: it is forgotten. Accepted ranges beyond a gap prove nothing, since they may be
 *      forged. A segment whose start is more than SPIN_SEGMENT_REACH before or after `next` is not accepted, and needs no range: the host
 *      will discard it, but no payload gets past the handlers if it does not (a forged segment may have begun the connection).
 *  12. All bytes up to a FIN have been accepted (next is fin), or RST ended the connection, and no other handler of it runs: the
 *      completion handler runs, unless the header handler returned PROCEED without COMPLETE. Its packet is the one handled last, or
 *      the RST. The connection has ended. Its place is kept to recognise what is sent again, until another connection needs it.
 *
 * The completion handler gets
 *	length                  bytes accepted without a gap, from `first` on, saturated at SPIN_LENGTH_UNKNOWN
 *	dropped_bytes           payload bytes of segments that a handler's DROP or error dropped, also the header handler's, or that were
 *	                        BEYOND_WINDOW, each time; saturated
 *	flow_control_triggered  1 if a segment was BEYOND_WINDOW
 *
 * Events: FAIL, SEGV, BAD_RETURN and OVERRUN for the first error of each connection.
 *
 * On several HPUs: while a connection's header handler runs, its other segments are NO_MPQ, and so is one of two that begin the same
 * connection at the same time. Segments that find a connection's record in use are BEYOND_WINDOW. TCP sends all of these again.
 *
 * Pressure: if no place is free, a connection yields that has ended or is refused, or else one that is unproven (fewer than
 * SPIN_PROVEN_PACKETS of its segments were accepted), the one with the fewest; or else, on a live interface, one without new segments for
 * the idle time of the context; or else, if the connections in all places that the key may use are of one source (an IPv4 address, or the
 * first 64 bits of an IPv6 address) and the new one is of another, the one with the fewest accepted segments. No handler of it may be
 * running; one that has not returned for SPIN_SEGMENT_STUCK_MS was ended by the work limit of the isolated class. It is evicted: its
 * completion handler does not run. If it goes on, it begins again with its next payload, so no payload gets past the handlers. The places
 * that a key may use depend on the engine. So connections may yield before SPIN_CONNECTIONS_MAX are open.
 */
#define SPIN_SEGMENT_RANGES   4u
#define SPIN_SEGMENT_REACH    0x40000000u /* the largest window of TCP (RFC 7323) */
#define SPIN_SEGMENT_IDLE_MS  60000u      /* if no .idle_ms is registered */
#define SPIN_SEGMENT_STUCK_MS 5000u       /* far longer than the work limit lets a program run */

#endif
