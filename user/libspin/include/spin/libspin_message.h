/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef LIBSPIN_MESSAGE_H
#define LIBSPIN_MESSAGE_H

/*
 * The host's side of contexts that take messages (SPIN_DELIVER_ME; semantics in
 * <spin/message.h>): host memory, matching entries, messages in flight.
 *
 *	opts.message.host_bytes = 64 << 20;
 *	spin_ctx__create_opts(nic, obj, &rule, &opts, &ctx);
 *	spin_ctx__host_memory(ctx, &memory, &bytes);
 *	spin_ctx__attach(ctx);
 *	poll(spin_ctx__event_fd(ctx)); spin_ctx__events(ctx, ...);  // SPIN_EVENT_MESSAGE: its data is in memory
 *
 * A context of datagrams has host memory and the counter of entry 0; the other functions fail with -EOPNOTSUPP there.
 * What is read here is read without a system call, from memory shared with the handlers.
 */
#include <spin/libspin.h>

/* The context's host memory; handlers write to it while it is read. Valid as long as the context. */
int spin_ctx__host_memory(struct spin_ctx *ctx, void **addr, size_t *bytes);

/* --- matching entries (sPIN B.1, Portals' MEs) --- */

struct spin_me_opts {
	size_t bytes; /* sizeof(struct spin_me_opts); fields behind it count as zero */
	uint64_t match_bits;
	uint64_t ignore_bits; /* bits of match_bits that need not agree */
	uint32_t start;       /* of its part of the host memory */
	uint32_t length;      /* 0: to the end of the host memory */
	uint32_t options;     /* SPIN_ME_USE_ONCE, _NO_TRUNCATE, _OP_GET, _MANAGE_LOCAL, _OVERFLOW, _NO_HANDLERS and its parts */
	/*
	 * The handlers' own host memory (SPIN_HANDLER_MEM; sPIN B.2, HANDLER_IOVEC), one segment behind the other: start and
	 * length multiples of 8, inside the host memory; they may lie anywhere in it. None: none.
	 */
	const struct spin_segment *handler_mem;
	unsigned handler_segments; /* at most SPIN_SEGMENTS_MAX */
	/*
	 * Whose messages it takes (PTL_ME's match_id): of this address, and of this UDP port, network byte order; port 0: of any;
	 * ip_version 0: of any source. A source is what the packets' IP header says, which their sender may have made up.
	 */
	struct spin_process source;
	/*
	 * Of SPIN_ME_MANAGE_LOCAL, where messages lie one behind the other (PTL_ME's min_free): the message after which fewer bytes than
	 * these are free is the entry's last one, and unlinks it when it is complete (SPIN_EVENT_UNLINKED). 0: it is never full.
	 * Events tell in `offset` where each message lies.
	 */
	uint32_t min_free;
	/*
	 * Of contexts that keep unexpected messages (message.unexpected), and entries that are not of the overflow list: if given, the
	 * entry is for unexpected messages, too. spin_ctx__me_append() calls it with an event SPIN_EVENT_PUT_OVERFLOW for each that the
	 * entry matches, in the order in which they came: as the message's own event was, with the overflow entry that has the data
	 * (me_start + offset, deposited_bytes). It may call no function of the context.
	 */
	void (*on_overflow)(void *arg, const struct spin_event *event);
	void *overflow_arg;
};

/*
 * Posts an entry behind those posted before; *me is its index, as events name it: the lowest one that is free, and
 * which no message in flight has any more. The index of an entry that was used is free again when the function
 * given to spin_ctx__events() has returned from its message's event: until then spin_ctx__me_get() tells of the entry
 * that the event names. If a get has used it, its answer is read from its memory also after the event, which may take
 * seconds: it is SPIN_ME_UNREAD until the answer has gone, and then free. Of a persistent entry that was unlinked, events
 * may be unread when its index is given away: these tell start, length and serial.
 * -ENOSPC: SPIN_MES_MAX are there, those counted whose event was not read. -EINVAL: outside the host memory, or segments that cannot be.
 * With on_overflow an entry that is to be used once and finds an unexpected message is not posted: it has been used, and *me is
 * SPIN_MES_MAX. Another one has all that it finds, and is posted. -EAGAIN: a message for it is on its way into an overflow entry;
 * nothing was done. The application tries again when the next event is there, or some milliseconds later: so no later
 * message overtakes one that has come before.
 * A new context has one entry, index 0: persistent, open to all messages, over the whole
 * host memory; unless created with message.no_entry.
 */
int spin_ctx__me_append(struct spin_ctx *ctx, const struct spin_me_opts *opts, unsigned *me);
/*
 * -ENOENT: there is none (any more). -EBUSY: a message has it; it is gone when that completes. Answers to gets that are still to
 * be read from it are given up: none reads its memory when this returns, which takes a fifth of a second at most.
 */
int spin_ctx__me_unlink(struct spin_ctx *ctx, unsigned me);
/* A copy of the entry as it stands; unlinked, its state is SPIN_ME_FREE, or SPIN_ME_UNREAD before its event was read (see above). */
int spin_ctx__me_get(struct spin_ctx *ctx, unsigned me, struct spin_me *out);

/*
 * Looks for an unexpected message (PtlMESearch): the first one that an entry with these match_bits, ignore_bits and source would
 * find, whose event *out becomes, SPIN_EVENT_PUT_OVERFLOW. It stays, or is kept no more. -ENOENT: there is none. -EAGAIN: it is
 * still on its way. -EOPNOTSUPP: the context keeps none.
 */
enum spin_search { SPIN_SEARCH_ONLY, SPIN_SEARCH_DELETE };
int spin_ctx__me_search(struct spin_ctx *ctx, const struct spin_me_opts *opts, enum spin_search what, struct spin_event *out);

/*
 * The entry's counter as it stands, also when it is unlinked, and another value for it: two words, each at
 * once (<spin/action.h>). Zero when the entry is posted. -ENOENT: there can be no such entry; of datagrams there is 0 alone.
 */
int spin_ctx__me_ct(struct spin_ctx *ctx, unsigned me, struct spin_ct *out);
int spin_ctx__me_set_ct(struct spin_ctx *ctx, unsigned me, struct spin_ct ct);

/* --- messages in flight --- */

enum spin_message_phase {
	SPIN_MESSAGE_WAITING, /* for its first packet */
	SPIN_MESSAGE_HEADER,  /* its header handler runs */
	SPIN_MESSAGE_OPEN,
};
const char *spin_message_phase_name(enum spin_message_phase phase); /* "waiting", "header", "open" */

struct spin_message_info {
	uint32_t src_addr[4]; /* network byte order, IPv4 in word 0 */
	uint32_t ip_version;  /* 4 or 6 */
	uint16_t src_port;    /* host byte order */
	uint32_t message_id;
	enum spin_message_phase phase;
	uint32_t age_ms, idle_ms; /* since it was opened; since its last new packet */
	uint32_t packets;         /* handled */
	uint32_t packets_total;   /* 0: not known yet */
	uint32_t parked;
	uint32_t lowest_missing; /* packet; 0 while waiting */
	uint32_t dropped_bytes;
	uint32_t me;           /* SPIN_MES_MAX: none yet */
	uint32_t flow_control; /* 1: packets of it were dropped by flow control */
};

/*
 * Hands every message in flight to fn, until fn returns non-zero, which is returned.
 * Each is a consistent picture of itself, or left out if it ended in the meantime.
 */
int spin_ctx__messages(struct spin_ctx *ctx, int (*fn)(void *arg, const struct spin_message_info *message), void *arg);
/* Summed over all HPUs. */
int spin_ctx__message_stats(struct spin_ctx *ctx, struct spin_message_stats *out);

/* --- time --- */

/*
 * Does what is due: evicts idle messages, handles parked packets that are left
 * over. While the context is attached to an interface a thread of the library does it every
 * few milliseconds, also while other functions of this context run; otherwise the caller does. Returns 0 or
 * a negative errno.
 */
int spin_ctx__progress(struct spin_ctx *ctx);
/*
 * Sets the time, in milliseconds, of a context made with message.virtual_clock, and that of its handlers. -EINVAL: it was not, or
 * backwards. -EOPNOTSUPP: it was not, and takes datagrams.
 */
int spin_ctx__set_clock(struct spin_ctx *ctx, uint32_t now_ms);

#endif
