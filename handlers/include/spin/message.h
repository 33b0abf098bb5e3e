/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_MESSAGE_H
#define SPIN_MESSAGE_H

/*
 * Messages of many packets: contexts registered with SPIN_DELIVER_ME. Not for handlers: this is what every engine (BPF, host build,
 * HPU model, reference) does with a packet that passed steps 1 to 5 of <spin/reason.h>.
 *
 * A message is identified by its key: source address, source port, message_id. A message in flight has an MPQ (message processing
 * queue, PsPIN 3.2.1), which is
 *
 *	waiting   packets have arrived, but not the first one: they are parked
 *	open      its header handler has run; packets are handled as they arrive
 *
 * and ends as completed or evicted. It leaves a tombstone, which says how. All packets of a message except the last have the same length;
 * the first one's payload length is the stride, and packet i has the offset i * stride. For packets that arrive one after the other:
 *
 *   6. MALFORMED: fewer than 10 bytes of UDP payload; a payload without EOM that is not a multiple of the registered
 *      fragmentation_bytes; a flag other than SYN, EOM and, if the context takes it, PUT; offset 0 without SYN; PUT on an offset other
 *      than 0, with too few bytes after it, with an op that the context does not take, or another version, or an invalid value of
 *      `atomic` for this op; an op get or atomic without EOM, or with an invalid payload or length; no payload and no EOM; offset +
 *      payload beyond 2^32 - 1.
 *   7. The key has a tombstone not older than T (of an evicted message: see "Eviction"). It records its message's stride and length, and
 *      the sum of the first packet's datagram: the 16-bit one's complement sum (RFC 1071) of the UDP payload. For a first packet:
 *      DUPLICATE if payload length and sum match; otherwise it belongs to another message, which is new in the steps below and
 *      replaces the tombstone when it begins.
 *      For another packet: MALFORMED if the message cannot contain it: an offset that is not a multiple of the stride; a payload other
 *      than the stride without EOM, or longer with EOM; with EOM an end other than the message's, without EOM an end beyond it.
 *      Otherwise DUPLICATE. Packets that cannot be told apart are acknowledged and discarded: those of a message that equals the one
 *      before in all of this (for different first packets, one in 65,535), and a later packet of another message of the same stride
 *      and length that arrives before that message's first packet. A sender that does not reuse an id within T is not affected.
 *   8. The message is new or waiting, and this is its first packet (offset 0):
 *      NO_ME: no matching entry is open to it, and none opens under pressure. The entry is the one posted first among those without
 *      SPIN_ME_OVERFLOW, or, if there is none, among the others, that are open, have (message's match_bits ^ entry's) & ~entry's
 *      ignore_bits == 0, name no source or the packet's, and, if they are managed, have room for it ("Managed offset").
 *      NO_MPQ: the message is new, and all MPQs are taken, even under pressure (or there is no free slot for the key among the
 *      tombstones, or no space for the event of the message's end).
 *      Otherwise the message takes the entry if that is use-once, the scratchpad is zeroed, the header handler runs, the message is
 *      open, and the packet continues with step 11 as packet 0. The length passed to the header handler is that of PUT; without PUT
 *      the payload's, if this packet is also the last one; else SPIN_LENGTH_UNKNOWN.
 *   9. The message is waiting, and this is another packet: DUPLICATE if one with that offset is parked; NO_PARKING if no buffer is
 *      free, or the frame is longer than a buffer; else PARKED.
 *  10. The message is new, and this is another packet: NO_MPQ as above, but without pressure on others; NO_PARKING as above, and the
 *      message is forgotten as if it had never arrived; else it is waiting and the packet PARKED.
 *  11. The message is open. Only packets that were handled count as arrived or define the last packet.
 *      MALFORMED: an offset that is not a multiple of the stride; a payload other than the stride without EOM, or longer with EOM; the
 *      packet lies after the last one, if that is known; EOM, and another packet is known as the last one, or packets after it have
 *      arrived. BEYOND_ENTRY: its entry has SPIN_ME_NO_TRUNCATE, and part of its payload would lie beyond the entry's end, whatever
 *      handlers do with it; or it is the first packet, and the message's length in PUT would: then no header handler has run. The
 *      message is refused and ends. DUPLICATE: it has arrived before. BEYOND_WINDOW: it is more than the context's window beyond the
 *      lowest missing one.
 *      Otherwise it is handled, depending on the header handler's result:
 *        PROCESS_DATA  payload handler, if the packet has payload after the user
 *                      header: SUCCESS, DROPPED, FAILED, SEGV, BAD_RETURN; with no payload
 *                      handler registered, or no such payload, the default action.
 *                      For the last packet it gets whole pieces of fragmentation_bytes; the rest is dropped, and
 *                      a packet with less than one piece is DROPPED
 *        PROCEED       default action: PROCEEDED, the payload with its user header is stored at
 *                      the entry's start + the message's offset + the packet's; what lies
 *                      beyond the entry's end is cut off
 *                      Get: no payload handler runs, not even for PROCESS_DATA, and nothing is stored. A put from host memory
 *                      to the source is queued as by spin_put_from_host(), of the requested length or what the message's range
 *                      has of it. DROPPED, without an answer: the entry does not have SPIN_ME_OP_GET, or handlers of this packet
 *                      have already sent as many packets as SPIN_PUTS allows.
 *                      Atomic: its operands are added to the message's range. DROPPED, and nothing is added: part of the
 *                      range is outside the entry, or it is not naturally aligned in host memory
 *                      Fetching atomic: in addition the old values are sent as by spin_put_from_device(). Also DROPPED, and nothing
 *                      is added: the entry does not have SPIN_ME_OP_GET, or handlers of this packet have sent as many as SPIN_PUTS allows
 *        DROP          HEADER_DROPPED
 *        an error      FAILED, SEGV or BAD_RETURN again; no further handler
 *      A context without a header handler behaves as if it had returned PROCESS_DATA.
 *  12. When the last packet is known and all packets have been handled, the completion handler runs, unless the header handler returned
 *      PROCEED (without COMPLETE) or failed, or the entry disables it. Its packet is the one handled last. The message is completed:
 *      tombstone, MPQ free, event.
 *  13. Then, and after every other packet of an open message, parked packets of this message run through steps 11 and 12 in their order
 *      of arrival, at most SPIN_REPLAY_MAX. A parked packet is lost if it is now MALFORMED, BEYOND_ENTRY or BEYOND_WINDOW, or if the
 *      message has ended before its turn (BEYOND_WINDOW is flow control here as well). The packet whose arrival ran them keeps its own
 *      reason.
 *
 * The packet is consumed: nothing of it reaches a socket. If it requests an acknowledgement (SYN), it is acknowledged when it was handled
 * (whatever handlers returned), parked, or a duplicate: it returns as the acknowledgement (verdict TX); else it is dropped (DROP). Flow
 * control (sPIN 3.2) is NO_ME, NO_MPQ, NO_PARKING, BEYOND_WINDOW: the packet is not acknowledged, and the sender must retransmit it.
 * MALFORMED is neither. An arriving packet that is BEYOND_ENTRY returns as a refusal (verdict TX, with or without SYN): as its
 * acknowledgement with the additional flag SPIN_SLMP_REFUSED. So does a packet of an evicted message that is NO_MPQ ("Eviction"), with
 * SPIN_SLMP_AGAIN.
 *
 * A refused message ends as evicted, with SPIN_EVENT_REFUSED in its event, and leaves a tombstone that records the refusal: within T its
 * first packet, and every other one with its id, is BEYOND_ENTRY again, because refusals may get lost. While handlers still have packets of
 * it, its other packets are NO_MPQ, and it ends in the next sweep ("Time" below).
 *
 * The completion handler gets
 *	dropped_bytes           payload bytes of this message's packets that were dropped: by
 *	                        a handler's DROP or error, by its header handler's DROP, and by flow control
 *	                        while it had an MPQ, each time: a packet that flow control
 *	                        dropped and that was handled when retransmitted counts (sPIN 3.2.3)
 *	flow_control_triggered  1 if flow control dropped any packet while the message had an MPQ
 *
 * The matching entry: a use-once entry is taken by the first message that finds it open. When the message completes, the entry is
 * unlinked, unless the header or completion handler returned a _PENDING form: then it is open again for another message, and the host
 * gets no event (sPIN B.2). An entry unlinked in this way is UNREAD until the host has read the message's event, and its index is not
 * reused before, so the event refers to the right entry. A lost event (events_lost) leaves the entry FREE at once. A persistent entry
 * stays open throughout; a _PENDING form then only suppresses the event. When the message is evicted, an entry that it had taken is open
 * again.
 *
 * Managed offset: an entry with SPIN_ME_MANAGE_LOCAL places its messages one after the other, regardless of the offsets that senders
 * request (Portals' PTL_ME_MANAGE_LOCAL). A message's range has as many bytes as its first packet says that the message has (or as that
 * packet has, if these are more; for a get the requested length), but at most all free bytes; the end of the range is the end of the
 * entry for this message. The message's offset, as handlers and events see it, is the start of its range. Such an entry is open to
 * messages whose first packet tells the length, while min_free bytes are free (0: always), and with SPIN_ME_NO_TRUNCATE only to those
 * that fit into the free bytes. The message whose range leaves fewer than min_free bytes takes the entry as if it were use-once; if it
 * ends under pressure for another message, the entry is open again and that message is NO_ME: it may take the entry, like any other,
 * when it is retransmitted. A message gets its range before another message is ended for its MPQ. A message that is evicted, or that
 * ends with a _PENDING code, returns its range if no other message's range lies after it. Two HPUs at once may leave unused bytes
 * between two ranges.
 *
 * Overflow list: entries with SPIN_ME_OVERFLOW are searched after all others (Portals' PTL_OVERFLOW_LIST). A message in one of them is
 * unexpected, as its last event says (SPIN_EVENT_OVERFLOW). Contexts that keep unexpected messages, at most `unexpected` of them, let
 * them be found by entries that the host posts later, and by searches: spin_ctx__me_append() and spin_ctx__me_search() of libspin. There
 * an overflow entry is open to a message while fewer are kept, including those in flight, and while the host is not posting an entry.
 * Only the live context does this; other engines keep none.
 *
 * A persistent entry may be unlinked while messages are in it: these continue in its memory, and its index is not reused before they
 * have ended.
 *
 * Events (struct spin_event): MESSAGE when a message completes, FAIL, SEGV and BAD_RETURN for the first error of each message, TIMEOUT
 * when it is evicted. A message is accepted only if there is space for its last event, MESSAGE or TIMEOUT: a message whose packets were
 * acknowledged is always reported, however slow the reader is, unless the context allows events to be lost. Errors are reported while
 * there is space beyond that. Each event has the entry's index with start, length and serial as they were when it was posted.
 *
 * Pressure: a message's first packet that finds no entry open, or no MPQ free, may end another message and take over its entry or MPQ. A
 * message is unproven while it waits, or while fewer than SPIN_PROVEN_PACKETS of its packets were handled: its source address may be
 * forged. A message yields when it is
 *   quiet    its last new packet came more than idle_ms / 16 ago if it is unproven, idle_ms / 4 if it is not; or
 *   too old  older than age_ms, and fewer bytes of it were handled (packets * stride) than SPIN_AGE_BYTES for each
 *            millisecond of its age. No sender over a link of 128 kbit/s is that slow; and the age matters only under
 *            pressure.
 * The search for an entry looks at those that match and are TAKEN, but not at those of the overflow list if unexpected messages are kept:
 * a message that takes one must be recorded. It goes in the order of their indices, cyclically, starting after the one
 * looked at last. The search for an MPQ looks at those waiting or open, in the order of their numbers, likewise. One packet looks at
 * no more than SPIN_SCAN_MAX messages and takes the first one that yields. A context of at least SPIN_PRESSURE_MPQS_MIN MPQs has two more
 * rules for MPQs, about messages from another source address than the packet's (for IPv6 the first 64 bits):
 *   at a standstill  unproven, and looked at since its last packet as often as packets of it were handled, and at least
 *                    once: a flooding sender pays for each look with a packet, so a message lasts in proportion to what
 *                    it has cost. Only the first message that a packet looks at counts as looked at, and the next search
 *                    begins after that one, or after the one that was taken;
 *   a source's share all SPIN_SCAN_MAX messages have the same source, and none yields: then the one with the fewest packets
 *                    handled, the first of equals.
 * A message ended in this way is evicted. For an unproven one the host gets no event, because forged messages could fill the event
 * queue: it is counted (evicted, and pressed).
 *
 * Eviction: packets of an evicted message were acknowledged, and are not sent again, so the rest of it must not be acknowledged either. Its
 * tombstone makes packets with its key NO_MPQ within T, and tells the sender to restart the message. If the message was open, its first
 * packet begins it again; if it was waiting, that packet, too, is NO_MPQ: a sender restarts the message with another id, or after T. Any
 * other message may reuse the slot of such a tombstone at once, so it is forgotten in a flood of about 100,000 messages within T.
 *
 * Flows: if the context's rule has a test for the end of a message (eom; FPsPIN's last rule of a set), packets have no SLMP header. The
 * whole UDP payload is the packet's, and the key is source address, source port and destination port, which is the message_id. The
 * flow's first packet begins a message, the first packet that satisfies the test is its last, and the next one begins another. Packets
 * may have any length; on arrival each gets the next number of its message, and as its offset the bytes of those before it. So no packet
 * is a duplicate or beyond the window, none is parked, and none is returned: the sender gets no feedback and does not retransmit.
 * The steps differ as follows:
 *
 *   6. MALFORMED: no payload, except for a last packet; a payload that is not a multiple of fragmentation_bytes, except for a last one.
 *   7. A message that completes, or was idle for too long, leaves no tombstone. One that is refused, or ended for another one, does: the
 *      rest of it, to its last packet, is BEYOND_ENTRY or NO_MPQ within T, and that last packet removes the tombstone. If the
 *      refused packet is the last one, there is no tombstone. Packets after T, or of a message that was idle for too long, begin
 *      another message.
 *   8. Each packet of a flow without a message is a first packet; its match bits are 0.
 *  11. MALFORMED: the message would have more than 8,388,607 packets, or 2^32 - 1 bytes. Of the other tests only BEYOND_ENTRY applies.
 *
 * On several HPUs at once: NO_PARKING, flow control, while the header handler runs on another HPU; NO_MPQ while the message's last
 * packets are being handled; BEYOND_WINDOW, flow control, if one HPU is that far behind the others. Such a packet is lost, so a flow
 * should arrive on one queue of the NIC, as with receive side scaling by ports; SPIN_HPUS_SPREAD gives it to one HPU. The model of the
 * NIC holds packets back until the header handler is done, and begins the next message as soon as the last packet has arrived. In its
 * packet memory they have an SLMP header, 10 bytes, from which the HPU reads their offset.
 *
 * MPQs are numbered and allocated cyclically: the first free one after the one that was taken last.
 *
 * Time: a message whose last new packet came more than idle_ms ago is evicted: its parked packets are lost, no handler runs, TIMEOUT
 * (PsPIN 3.2.3). New packets are those handled or parked on arrival, and a first packet that finds no entry. Packets without progress do
 * not restart the timeout: duplicates, MALFORMED, NO_PARKING, BEYOND_WINDOW. A tombstone is older than T when more than tombstone_ms
 * have passed since it was created. A sweep evicts in the order of the MPQs' numbers; it also does step 13 for messages that still have
 * parked packets. While a handler of the message runs, it is only chosen: a later sweep ends it, and then a flow, too, leaves a tombstone.
 * What is acknowledged of it after it was chosen does not complete it: its last packet is NO_MPQ.
 */
#include <stdint.h>

#include <spin/action.h>

/*
 * The window: how many packets beyond the lowest missing one are handled. Its bitmap is in the MPQ unless the context configures more than
 * SPIN_WINDOW packets. A window that holds a whole message accepts its packets in any order.
 */
#define SPIN_WINDOW            1024u       /* default */
#define SPIN_WINDOW_MAX        262080u     /* 8,192 words of 32 packets, less two */
#define SPIN_CONNECTIONS_MAX   1024u       /* TCP connections open at a time, per context (spin_connection()) */
#define SPIN_NO_CONNECTION     0xffffffffu /* not a connection */
#define SPIN_MPQS_MAX          4096u       /* messages in flight, per context */
#define SPIN_MPQS              512u        /* default (PsPIN 3.2.2) */
#define SPIN_PARKING_MAX       256u        /* packets parked at a time, per context; also the default */
#define SPIN_WINDOWS_BYTES_MAX (64u << 20) /* of a context's bitmaps outside its MPQs */
#define SPIN_REPLAY_MAX        30u         /* parked packets handled when another one arrives */
#define SPIN_MES_MAX           64u         /* matching entries, per context */
#define SPIN_UNEXPECTED_MAX    256u        /* unexpected messages that a context keeps */
#define SPIN_IDLE_MS           2000u       /* default */
#define SPIN_AGE_MS            30000u      /* default */
#define SPIN_AGE_BYTES         16u         /* per millisecond: 128 kbit/s */
#define SPIN_PROVEN_PACKETS    64u         /* packets handled */
#define SPIN_SCAN_MAX          8u          /* messages that one packet may look at under pressure */
#define SPIN_PRESSURE_MPQS_MIN 64u         /* MPQs */
#define SPIN_TOMBSTONE_MS      2000u
#define SPIN_SCRATCHPAD_MAX    7680u      /* bytes per message (PsPIN 3.2.2: 7.6 KiB) */
#define SPIN_HOST_BYTES        (1u << 20) /* default host memory of a context */
#define SPIN_HOST_BYTES_BARE   (1u << 16) /* of an object not loaded by libspin */
#define SPIN_HOST_BYTES_MAX    (256u << 20)

/* Returns the words of 32 packets that a window of this size needs, a power of two; its first and last word may be partly used. */
static inline uint32_t spin_words_of_window(uint32_t window_packets)
{
	uint32_t words = 64;

	while (words < window_packets / 32 + 2)
		words *= 2;
	return words;
}

/* --- matching entries; in the BPF object as spin_mes[SPIN_MES_MAX], mapped --- */

enum spin_me_state {
	SPIN_ME_FREE, /* no entry, or an unlinked one */
	SPIN_ME_OPEN,
	SPIN_ME_TAKEN,  /* use-once, and taken by a message */
	SPIN_ME_UNREAD, /* unlinked by its message, whose event the host has not read yet; then FREE */
};

/* Options. */
enum {
	SPIN_ME_USE_ONCE = 1,
	SPIN_ME_NO_TRUNCATE = 2, /* a longer message is refused and its sender informed (Portals' PTL_ME_NO_TRUNCATE) */
	SPIN_ME_OP_GET = 4,      /* gets may read its memory (PTL_ME_OP_GET); the answer goes to any address that the sender claims */
	/*
	 * Disables single handlers for its messages (sPIN B.1: each can be installed by itself). Without a header handler: as if the
	 * context had none. Without a payload handler: as if the header handler had returned PROCEED_COMPLETE when it returns PROCESS_DATA
	 * or does not run; not with .fragmentation_bytes, which is a guarantee for payload handlers.
	 */
	SPIN_ME_NO_HEADER = 8,
	SPIN_ME_NO_PAYLOAD = 16,
	SPIN_ME_NO_COMPLETION = 32,
	SPIN_ME_NO_HANDLERS = 56,  /* all three: only the default action */
	SPIN_ME_MANAGE_LOCAL = 64, /* its messages are placed one after the other: "Managed offset" above */
	SPIN_ME_OVERFLOW = 128,    /* it is in the overflow list */
	SPIN_ME_OPTIONS = 255,     /* all of them */
};

/* Written by the host while FREE. `state` changes by compare-exchange, the counters by atomic addition. */
struct spin_me {
	uint32_t state;   /* enum spin_me_state */
	uint32_t options; /* SPIN_ME_* */
	uint64_t match_bits, ignore_bits;
	uint32_t start;    /* in the context's host memory, in bytes */
	uint32_t length;   /* bytes; start + length is within the host memory */
	uint32_t serial;   /* order of posting: of the entries that match, the lowest is the first; unique */
	uint32_t holder;   /* TAKEN: the MPQ that has it; private to the engine */
	uint64_t messages; /* completed in it and reported to the host */
	uint64_t bytes;    /* stored in it by the default action */
	/* source of the messages that it takes: spin_me_from() */
	uint64_t src[2];      /* network byte order; IPv4 in the low half of word 0 */
	uint32_t source;      /* IP version in bits 7:0, UDP port in network byte order in 31:16 */
	uint32_t source_mask; /* bits of `source` to compare; the address is compared if the IP version is; 0: any source */
	/* with SPIN_ME_MANAGE_LOCAL */
	uint64_t used; /* bytes from `start` on given to messages in 31:0; 63:32 change with each posting; atomic */
	uint32_t min_free;
	uint32_t unused;
};

/* Sets the source of the messages that the entry takes. IP version 0: any source; port 0: any port of the address. */
static inline void spin_me_from(struct spin_me *me, const struct spin_process *source)
{
	me->src[0] = source->addr[0] | (uint64_t)source->addr[1] << 32;
	me->src[1] = source->addr[2] | (uint64_t)source->addr[3] << 32;
	me->source = (uint32_t)source->port << 16 | source->ip_version;
	me->source_mask = (source->port ? 0xffff0000u : 0) | (source->ip_version ? 255u : 0);
}

/* Returns 1 if an entry can name this source. */
static inline int spin_me_has_source(const struct spin_process *source)
{
	uint32_t rest = source->addr[1] | source->addr[2] | source->addr[3];

	if (!source->ip_version)
		return !(source->addr[0] | rest | source->port);
	return source->ip_version == 6 || (source->ip_version == 4 && !rest);
}

/*
 * What handlers access through an entry besides its memory (sPIN B.2, B.6): in the BPF object as spin_me_memory[SPIN_MES_MAX]. The host
 * writes the segments while the entry is FREE; their start and length are multiples of 8. Anyone may write the counter, each word
 * atomically. For datagrams entry 0 applies, by default with the whole host memory as its only segment.
 */
#define SPIN_SEGMENTS_MAX 16u

struct spin_segment {
	uint32_t start, length;
}; /* in the context's host memory, in bytes */

struct spin_me_memory {
	struct spin_ct ct;
	uint32_t bytes; /* of all segments */
	uint32_t segments;
	struct spin_segment segment[SPIN_SEGMENTS_MAX];
	uint32_t unused[12];
};

/* --- counts of messages; per HPU in the BPF object as spin_message_stats[SPIN_HPUS_MAX], mapped --- */

struct spin_message_stats {
	uint64_t opened; /* MPQs taken */
	uint64_t completed;
	uint64_t evicted;
	uint64_t replayed;    /* parked packets that were handled */
	uint64_t replay_lost; /* parked packets that were lost: see step 13, and evicted messages */
	uint64_t events_lost; /* no space for the event: the reader is behind */
	uint64_t events_full; /* packets of new messages without space for their last event: NO_MPQ */
	uint64_t pressed;     /* evicted messages ended for another one, without an event */
};

_Static_assert(sizeof(struct spin_me_memory) == 192, "shared by BPF and user space");
_Static_assert(sizeof(struct spin_me) == 96 && sizeof(struct spin_message_stats) == 64, "shared by BPF and user space");

#endif
