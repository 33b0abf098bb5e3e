/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_MESSAGE_H
#define SPIN_MESSAGE_H

/*
 * Messages of many packets: contexts registered with SPIN_DELIVER_ME. Not for
 * handlers: this is what every engine (BPF, host build, HPU model, reference)
 * does with a packet that passed steps 1 to 5 of <spin/reason.h>.
 *
 * A message is what has one key: source address, source port, message_id. One in
 * flight has an MPQ (message processing queue, PsPIN 3.2.1), which is
 *
 *	waiting   packets have come, the first one has not: they are parked
 *	open      its header handler has run; packets are handled as they come
 *
 * and ends as completed (it leaves a tombstone) or evicted (it leaves nothing).
 * All packets of a message are equally long but the last; the first one's payload
 * length is the stride, and packet i has the offset i * stride. For a schedule of
 * packets one after the other:
 *
 *   6. MALFORMED: fewer than 10 bytes of UDP payload; a payload without EOM that is not a multiple of
 *      the registered fragmentation_bytes; a flag other than SYN, EOM
 *      and, where the context takes it, PUT; offset 0 without SYN; PUT on an offset
 *      other than 0, with too few bytes behind it, with an op that the context does not take, or another version, or a value
 *      of `atomic` that this op has not; an op get or atomic without EOM, or with a payload or length that it has
 *      not; no payload and no EOM; offset + payload beyond 2^32 - 1.
 *   7. The key has a tombstone not older than T. It tells of its message the stride, the length, and the sum of the first packet's
 *      datagram: the 16-bit one's complement sum (RFC 1071) of the UDP payload. The first packet: DUPLICATE if payload and sum
 *      are as told; if not it is of another message, new to what follows, and when that begins the tombstone is no more.
 *      Another packet: MALFORMED if the message cannot have had it: an offset that is not a multiple of the stride; a payload other
 *      than the stride without EOM, longer with it; with EOM another end than the message's, without it one behind that.
 *      Else DUPLICATE. What is not told apart is acknowledged and thrown away: a message equal to the one before in all this
 *      (where the first packets differ, one in 65,535), and a later packet of another message of the same stride
 *      and length that comes before that one's first packet. A sender that does not give an id again within T knows none of it.
 *   8. The message is new or waiting, and this is its first packet (offset 0):
 *      NO_ME: no matching entry is open to it: the first one posted of those that have not SPIN_ME_OVERFLOW, or, if it is none
 *      of these, of the others, that
 *      are open, have (message's match_bits ^ entry's) & ~entry's ignore_bits == 0, name no source or the packet's, and have
 *      room for it if they manage it ("Managed offset").
 *      Nor does one become open under pressure.
 *      NO_MPQ: the message is new, and all MPQs are taken, also under pressure (or no room is left for
 *      the key among the tombstones, or for the event that will tell of the message's end).
 *      Else the entry is taken by the message if it is to be used once, the
 *      scratchpad is zeroed, the header handler runs, the message is open, and the
 *      packet goes on with step 11 as packet 0. The header handler is told the length that PUT
 *      tells; else the payload's, if this packet is the last one, too; else SPIN_LENGTH_UNKNOWN.
 *   9. The message is waiting, and this is another packet: DUPLICATE if one of that
 *      offset is parked; NO_PARKING if no buffer is free, or the frame is longer than one;
 *      else PARKED.
 *  10. The message is new, and this is another packet: NO_MPQ as above, but it presses nobody; NO_PARKING as
 *      above, and the message is forgotten, as if it had never come; else it is waiting and the
 *      packet PARKED.
 *  11. The message is open. Only packets that were handled have come, or make the last one known.
 *      MALFORMED: an offset that is not a multiple of the stride; a payload other than the
 *      stride without EOM, longer with it; the packet lies behind the last one, if that is
 *      known; EOM, and it is not the packet known as the last one, or packets behind it
 *      have come. BEYOND_ENTRY: its entry has SPIN_ME_NO_TRUNCATE, and part of its payload would lie behind the entry's
 *      end, whatever handlers do with it; or it is the first, and the message's length, as PUT tells it, would: no
 *      header handler has run then. The message is refused and ends. DUPLICATE: it has come before.
 *      BEYOND_WINDOW: it is more than the context's window beyond the lowest missing one.
 *      Else it is handled, by what the header handler said:
 *        PROCESS_DATA  payload handler, if the packet has payload behind the user
 *                      header: SUCCESS, DROPPED, FAILED, SEGV, BAD_RETURN; with no payload
 *                      handler registered, or no such payload, the default action.
 *                      Of the last packet it is given whole pieces of fragmentation_bytes; the rest is dropped, and
 *                      a packet with less than one piece is DROPPED
 *        PROCEED       default action: PROCEEDED, the payload with its user header is put at
 *                      the entry's start + the message's offset + the packet's; what lies
 *                      behind the entry's end is cut off
 *                      Of a get: no payload handler runs, for PROCESS_DATA either, and nothing is put anywhere. A put from host
 *                      memory is queued as by spin_put_from_host(): what the message's place has of the length asked
 *                      for, to the source. DROPPED, and no answer: the entry has not SPIN_ME_OP_GET, or handlers of this packet
 *                      have sent as many as SPIN_PUTS says already.
 *                      Of an atomic: its operands are added at the message's place. DROPPED, and nothing is added: not all of it
 *                      is in the entry, or it is not naturally aligned in host memory
 *                      Of one that fetches, then: the values as they were are sent as by spin_put_from_device(). DROPPED, and nothing
 *                      is added, also: the entry has not SPIN_ME_OP_GET, or handlers of this packet have sent as many as SPIN_PUTS says
 *        DROP          HEADER_DROPPED
 *        an error      FAILED, SEGV or BAD_RETURN again; no further handler
 *      A context without a header handler does as if it had said PROCESS_DATA.
 *  12. When the last packet is known, and all have been handled: the completion
 *      handler runs, unless the header handler said PROCEED (without COMPLETE) or failed, or the entry has none; the
 *      packet at hand is the one that
 *      was handled last. The message is
 *      completed: tombstone, MPQ free, event.
 *  13. Then, and after every other packet of an open message: parked packets of this message
 *      run through steps 11 and 12 in their order of arrival, at most SPIN_REPLAY_MAX.
 *      One that is not handled then, because it is MALFORMED, BEYOND_ENTRY or BEYOND_WINDOW by now, or because
 *      the message has ended before its turn, is lost (BEYOND_WINDOW is flow control here, too);
 *      the packet whose arrival ran them keeps its own reason.
 *
 * The packet is consumed: nothing of it reaches a socket. It is acknowledged, if it
 * asks for it (SYN), when it was handled whatever handlers said of it, parked, or a duplicate:
 * it comes back as the acknowledgement (verdict TX); else it ends here (DROP). Flow control
 * (sPIN 3.2) is NO_ME, NO_MPQ, NO_PARKING, BEYOND_WINDOW: the packet is not acknowledged, the
 * sender is to send it again. MALFORMED is neither. A packet that arrives and is BEYOND_ENTRY comes back as a refusal
 * (verdict TX, whether it has SYN or not): as its acknowledgement, with the flag SPIN_SLMP_REFUSED, too. So does a packet
 * behind the first one of a message that was ended for another one (NO_MPQ, "Pressure"), with SPIN_SLMP_AGAIN.
 *
 * A message that is refused ends as evicted, with SPIN_EVENT_REFUSED in its event, and leaves a tombstone that
 * says so: within T its first packet, and every other one with its id, is BEYOND_ENTRY again, for refusals get lost, too.
 *
 * The completion handler is told
 *	dropped_bytes           payload bytes of this message's packets that were dropped: by
 *	                        a handler's DROP or error, by its header handler's DROP, and by flow control
 *	                        while it had an MPQ, each time: a packet that flow control
 *	                        dropped, and which was handled when it came again, counts (sPIN 3.2.3)
 *	flow_control_triggered  1 if flow control dropped any packet while the message had an MPQ
 *
 * The matching entry: an entry to be used once is taken by the first message that
 * finds it open. When the message completes, the entry is unlinked, unless header or
 * completion handler said a _PENDING form: then it is open again, for another message, and the
 * host is not told of this one (sPIN B.2). An entry unlinked so is UNREAD until the host has had the message's
 * event, and its index is not given to another entry before: the event names what it says. An event that is
 * lost (events_lost) leaves the entry FREE at once. A persistent entry stays open throughout; a _PENDING
 * form then only keeps the host from being told. When the message is evicted, an entry
 * that it had taken is open again.
 *
 * Managed offset: an entry with SPIN_ME_MANAGE_LOCAL has its messages one behind the other, wherever their senders want them
 * (Portals' PTL_ME_MANAGE_LOCAL). Each one's place are as many of its free bytes as the first packet tells that the message has
 * (or as that has itself, if these are more; of a get what it asks for), or all that are free: what lies behind is behind the
 * end of the entry to it. The message's offset, as handlers and events tell it, is where its place begins. Such an entry is open to
 * messages whose first packet tells the length, while min_free bytes are free (0: always); and with SPIN_ME_NO_TRUNCATE to
 * those that the free bytes hold. The message whose place leaves fewer than min_free bytes takes the entry as if that was to be used
 * once; if it ends under pressure for another one, the entry is open again and that one NO_ME: it finds the entry, as anybody does,
 * when it comes again. A message has its place before another message is ended for its MPQ. A message that is evicted, or
 * that ends with a _PENDING code, gives its place back if no other message's lies behind it. Two HPUs at once may leave bytes
 * between two places that are nobody's.
 *
 * Overflow list: entries with SPIN_ME_OVERFLOW are searched behind all others (Portals' PTL_OVERFLOW_LIST). A message that has
 * one is unexpected: its last event says so (SPIN_EVENT_OVERFLOW). Contexts that keep unexpected messages, `unexpected` of them at
 * most, have them found by entries that the host posts later, and by searches: spin_ctx__me_append() and spin_ctx__me_search()
 * of libspin; there an overflow entry is open to a message while fewer are kept, those counted that are on their way, and while
 * the host posts no entry. That is the live context's alone: others keep none.
 *
 * A persistent entry may be unlinked while messages are in it: these go on in its memory, and its
 * index is not given to another entry before they have ended.
 *
 * Events (struct spin_event): MESSAGE when a message completes, FAIL, SEGV and
 * BAD_RETURN for the first error of each message, TIMEOUT when it is evicted. A message is taken only if its last one,
 * MESSAGE or TIMEOUT, has room: whose packets were acknowledged is told of, however slow the reader is, unless the
 * context says that its events may be lost. Of errors the reader is told while there is room beyond that.
 * Each event tells the entry's index with start, length and serial as they were when it was posted.
 *
 * Pressure: a message's first packet that finds no entry open, or no MPQ free, may end another message and take its
 * place. A message is unproven while it waits, or fewer than SPIN_PROVEN of its packets were handled: its source need not
 * be who it says it is. A message yields when it is
 *   quiet    its last new packet came more than idle_ms / 16 ago if it is unproven, idle_ms / 4 if it is not; or
 *   too old  older than age_ms, and fewer bytes of it were handled (packets * stride) than SPIN_AGE_BYTES for each
 *            millisecond of its age. No sender over a link of 128 kbit/s is as slow; and of a message that is in nobody's way
 *            no age is asked.
 * In search of an entry: those that match and are TAKEN, in the order of their indices, round and round, from behind
 * the one that was looked at last. In search of an MPQ: those waiting or open, in the order of their numbers, likewise. At most
 * SPIN_LOOKS are looked at for one packet; the first one whose message yields is taken. A context of at least SPIN_CROWD MPQs
 * has two more rules for them, about messages from another source address than the packet's (of IPv6: the first 64 bits):
 *   at a standstill  unproven, and since its last packet it was looked at as often as packets of it were handled, and at least
 *                    once: who floods a context pays for each look with a packet, so that a message lasts as long as it has
 *                    cost. Of those that one packet looks at only the first one counts as looked at, and the next search begins
 *                    behind that one, or behind the one that was taken;
 *   a source's share all SPIN_LOOKS looked at have one source, and none yields: then the one of which the fewest packets were
 *                    handled, the first of equals.
 * A message that is ended so is evicted. Of an unproven one the host is not told, for strangers could fill its events:
 * it is counted (evicted, and pressed).
 *
 * If it was open it leaves a tombstone: some of its packets were acknowledged, and its others are not to wait, acknowledged,
 * for a first one that does not come again. Within T these are NO_MPQ; its first packet begins it again. The place of such a
 * tombstone may be taken by any other message at once, so that it is forgotten under a flood of some 100,000 messages in T.
 *
 * Flows: where the context's rule has a test for the end of a message (eom; FPsPIN's last rule of a set), packets have no SLMP
 * header. All of the UDP payload is the packet's, and the key is source address, source port and destination port, which is the
 * message_id. The flow's first packet begins a message, the first one that satisfies the test is its last, and the next one
 * begins another. Packets may be of any length; each has the next number of its message when it comes, and as its offset the
 * bytes of those before it. So none is a duplicate or beyond the window, none is parked, and none comes back: the sender learns
 * nothing, and sends nothing again. What differs in the steps:
 *
 *   6. MALFORMED: no payload, but of a last one; a payload that is not a multiple of fragmentation_bytes, but of a last one.
 *   7. A message that completes leaves no tombstone. One that is refused, or ended for another one, does: the rest of it, to its
 *      last packet, is BEYOND_ENTRY or NO_MPQ within T, and that last packet ends the tombstone. If the last packet is
 *      what is refused, there is none. What comes after T, or of a message that was idle for too long, begins another message.
 *   8. Each packet of a flow without a message is a first one; its match bits are 0.
 *  11. MALFORMED: the message would have more than 8,388,607 packets, or 2^32 - 1 bytes. Of the other tests BEYOND_ENTRY is left.
 *
 * On several HPUs at once: NO_PARKING, flow control, while the header handler runs on another HPU; NO_MPQ while the message's
 * last packets are being handled; BEYOND_WINDOW, flow control, if one HPU is that far behind the others. Such a packet is lost: one
 * flow is to come by one queue of the card, as receive side scaling by ports has it; SPIN_HPUS_SPREAD gives it to one HPU. The
 * model of the NIC keeps packets waiting for the header handler, and begins the next message as soon as the last packet has
 * come. In its packet memory they have an SLMP header, 10 bytes, from which the HPU reads their offset.
 *
 * MPQs are numbered, and given out round and round: the first free one behind the one that was taken last.
 *
 * Time: a message whose last new packet came more than idle_ms ago is evicted: its parked packets are lost, no handler
 * runs, TIMEOUT (PsPIN 3.2.3). New are packets that are handled or parked when they arrive, and a first one that finds no
 * entry. What makes no progress gives no time: duplicates, MALFORMED, NO_PARKING, BEYOND_WINDOW. A tombstone is older
 * than T when more than tombstone_ms have passed since it was left. A sweep evicts, in the order of
 * the MPQs' numbers; it also does step 13 for messages
 * that still have parked packets.
 */
#include <stdint.h>

#include <spin/action.h>

/*
 * The window: packets beyond the lowest missing one that are handled. Its bitmap lies in the MPQ unless the context asks
 * for more than SPIN_WINDOW packets. One that holds a whole message takes its packets from any offset on.
 */
#define SPIN_WINDOW            1024u       /* unless told otherwise */
#define SPIN_WINDOW_MAX        262080u     /* two words of 32 packets fewer than 8,192 */
#define SPIN_CONNECTIONS_MAX   1024u       /* of TCP, open at a time, per context (spin_connection()) */
#define SPIN_NO_CONNECTION     0xffffffffu /* of what is none */
#define SPIN_MPQS_MAX          4096u       /* messages in flight, per context */
#define SPIN_MPQS              512u        /* unless told otherwise (PsPIN 3.2.2) */
#define SPIN_PARKING_MAX       256u        /* packets parked at a time, per context; also the default */
#define SPIN_WINDOWS_BYTES_MAX (64u << 20) /* of a context's bitmaps that lie outside of their MPQs */
#define SPIN_REPLAY_MAX        30u         /* parked packets handled at the arrival of another one */
#define SPIN_MES_MAX           64u         /* matching entries, per context */
#define SPIN_UNEXPECTED_MAX    256u        /* unexpected messages that a context keeps */
#define SPIN_IDLE_MS           2000u       /* unless told otherwise */
#define SPIN_AGE_MS            30000u      /* likewise */
#define SPIN_AGE_BYTES         16u         /* a millisecond: 128 kbit/s */
#define SPIN_PROVEN            64u         /* packets handled */
#define SPIN_LOOKS             8u          /* messages that one packet may look at in search of a place */
#define SPIN_CROWD             64u         /* MPQs */
#define SPIN_TOMBSTONE_MS      2000u
#define SPIN_SCRATCHPAD_MAX    7680u      /* bytes per message (PsPIN 3.2.2: 7.6 KiB) */
#define SPIN_HOST_BYTES        (1u << 20) /* host memory of a context, unless told otherwise */
#define SPIN_HOST_BYTES_BARE   (1u << 16) /* of an object that something else than libspin loads */
#define SPIN_HOST_BYTES_MAX    (256u << 20)

/* The words of 32 packets that a window of so many packets needs, a power of two: its first and last one may be partly used. */
static inline uint32_t spin_window_lanes(uint32_t window_packets)
{
	uint32_t lanes = 64;

	while (lanes < window_packets / 32 + 2)
		lanes *= 2;
	return lanes;
}

/* --- matching entries; in the BPF object as spin_mes[SPIN_MES_MAX], mapped --- */

enum spin_me_state {
	SPIN_ME_FREE, /* no entry; unlinked ones come here */
	SPIN_ME_OPEN,
	SPIN_ME_TAKEN,  /* to be used once, and a message has it */
	SPIN_ME_UNREAD, /* unlinked by its message, whose event the host has not read yet; then FREE */
};

/* Options. */
enum {
	SPIN_ME_USE_ONCE = 1,
	SPIN_ME_NO_TRUNCATE = 2, /* a message that is longer is refused, and its sender told (Portals' PTL_ME_NO_TRUNCATE) */
	SPIN_ME_OP_GET = 4,      /* its memory may be read by gets (PTL_ME_OP_GET); who sends one has it sent wherever he says he is */
	/*
	 * Which of the context's handlers do not run for its messages (sPIN B.1: each can be installed by itself). Without a header
	 * handler: as if the context had none. Without a payload handler: as if the header handler had said PROCEED_COMPLETE
	 * where it says PROCESS_DATA, or does not run; not with .fragmentation_bytes, which is a promise to payload handlers.
	 */
	SPIN_ME_NO_HEADER = 8,
	SPIN_ME_NO_PAYLOAD = 16,
	SPIN_ME_NO_COMPLETION = 32,
	SPIN_ME_NO_HANDLERS = 56,  /* all three: the default action alone */
	SPIN_ME_MANAGE_LOCAL = 64, /* its messages lie one behind the other: "Managed offset" above */
	SPIN_ME_OVERFLOW = 128,    /* it is in the overflow list */
	SPIN_ME_OPTIONS = 255,     /* all that there are */
};

/* Written by the host while FREE; `state` by compare-exchange, the counters by atomic addition. */
struct spin_me {
	uint32_t state;   /* enum spin_me_state */
	uint32_t options; /* SPIN_ME_* */
	uint64_t match_bits, ignore_bits;
	uint32_t start;    /* in the context's host memory, in bytes */
	uint32_t length;   /* bytes; start + length is within the host memory */
	uint32_t serial;   /* order of posting: the lowest one that matches is the first; another one for each entry */
	uint32_t holder;   /* TAKEN: the MPQ that has it; the engine's own */
	uint64_t messages; /* completed in it, and told to the host */
	uint64_t bytes;    /* put into it by the default action */
	/* whose messages it takes: spin_me_from() */
	uint64_t src[2];      /* network byte order; IPv4 in the low half of word 0 */
	uint32_t source;      /* IP version in bits 7:0, UDP port in network byte order in 31:16 */
	uint32_t source_mask; /* the bits of `source` that are named; the address is, too, with the IP version; 0: of any source */
	/* of SPIN_ME_MANAGE_LOCAL */
	uint64_t used; /* bytes from `start` on that are messages' places, in 31:0; 63:32 change with each posting; atomic */
	uint32_t min_free;
	uint32_t unused;
};

/* Writes whose messages the entry takes. IP version 0: anybody's; port 0: whatever port of the address. */
static inline void spin_me_from(struct spin_me *me, const struct spin_process *source)
{
	me->src[0] = source->addr[0] | (uint64_t)source->addr[1] << 32;
	me->src[1] = source->addr[2] | (uint64_t)source->addr[3] << 32;
	me->source = (uint32_t)source->port << 16 | source->ip_version;
	me->source_mask = (source->port ? 0xffff0000u : 0) | (source->ip_version ? 255u : 0);
}

/* Is it a source that an entry can name? */
static inline int spin_me_has_source(const struct spin_process *source)
{
	uint32_t rest = source->addr[1] | source->addr[2] | source->addr[3];

	if (!source->ip_version)
		return !(source->addr[0] | rest | source->port);
	return source->ip_version == 6 || (source->ip_version == 4 && !rest);
}

/*
 * What handlers reach through an entry in addition to its memory (sPIN B.2, B.6): in the BPF object as
 * spin_me_memory[SPIN_MES_MAX]. Segments are written by the host while the entry is FREE, and are multiples of 8 in
 * start and length; the counter by anyone, each word atomically. Of datagrams entry 0's counts, with all of
 * the host memory as its one segment unless told otherwise.
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
	uint64_t replay_lost; /* parked packets that were not: see step 13, and evicted messages */
	uint64_t events_lost; /* no room for the event: the reader is behind */
	uint64_t events_full; /* packets of new messages without room for the event of their end: NO_MPQ */
	uint64_t pressed;     /* of those evicted: ended for another message, and not told to the host */
};

_Static_assert(sizeof(struct spin_me_memory) == 192, "shared by BPF and user space");
_Static_assert(sizeof(struct spin_me) == 96 && sizeof(struct spin_message_stats) == 64, "shared by BPF and user space");

#endif
