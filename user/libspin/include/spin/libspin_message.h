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

/* The context's host memory; handlers may write to it while it is read. Valid as long as the context. */
int spin_ctx__host_memory(struct spin_ctx *ctx, void **addr, size_t *bytes);

/* --- matching entries (sPIN B.1, Portals' MEs) --- */

struct spin_me_opts {
	size_t bytes; /* sizeof(struct spin_me_opts); fields beyond it count as zero */
	uint64_t match_bits;
	uint64_t ignore_bits; /* bits of match_bits that are ignored */
	uint32_t start;       /* of the entry's part of the host memory */
	uint32_t length;      /* 0: to the end of the host memory */
	uint32_t options;     /* SPIN_ME_USE_ONCE, _NO_TRUNCATE, _OP_GET, _MANAGE_LOCAL, _OVERFLOW, _NO_HANDLERS and its parts */
	/*
	 * The handlers' own host memory (SPIN_HANDLER_MEM; sPIN B.2, HANDLER_IOVEC), made of consecutive segments. start and
	 * length must be multiples of 8, inside the host memory; segments may lie anywhere in it. No segments: no memory.
	 */
	const struct spin_segment *handler_mem;
	unsigned handler_segments; /* at most SPIN_SEGMENTS_MAX */
	/*
	 * The sender whose messages it takes (PTL_ME's match_id): this address and this UDP port, in network byte order; port 0: any port;
	 * ip_version 0: any source. The source is taken from the packets' IP header, which a sender can forge.
	 */
	struct spin_process source;
	/*
	 * For SPIN_ME_MANAGE_LOCAL, where messages are stored one after the other (PTL_ME's min_free): the message that leaves fewer free
	 * bytes than this is the entry's last one, and unlinks it on completion (SPIN_EVENT_UNLINKED). 0: the entry is never full. The
	 * `offset` of an event says where its message lies.
	 */
	uint32_t min_free;
	/*
	 * For contexts that keep unexpected messages (message.unexpected), and entries outside the overflow list. If set, the
	 * entry also takes unexpected messages: spin_ctx__me_append() calls it with an event SPIN_EVENT_PUT_OVERFLOW for each that the
	 * entry matches, in order of arrival. The event is the message's own, and names the overflow entry that has the data
	 * (me_start + offset, deposited_bytes). It must not call functions of the context.
	 */
	void (*on_overflow)(void *arg, const struct spin_event *event);
	void *overflow_arg;
};

/*
 * Appends an entry after those posted before. *me is its index, as events name it: the lowest index that is free and that no message in
 * flight uses. The index of an entry that was used is free again when the function given to spin_ctx__events() has returned from its
 * message's event; until then spin_ctx__me_get() describes the entry that the event names. If a get has used the entry, its answer is read
 * from the entry's memory even after the event, which may take seconds: the entry is SPIN_ME_UNREAD until the answer has been sent, and
 * then free. When the index of an unlinked persistent entry is reused, events of the old entry may still be unread; these contain start,
 * length and serial. -ENOSPC: there are SPIN_MES_MAX entries, including those whose event was not read. -EINVAL: outside the host memory,
 * or invalid segments. With on_overflow, a use-once entry that finds an unexpected message is not posted: it has been used, and *me is
 * SPIN_MES_MAX. Any other entry gets all messages that it finds, and is posted. -EAGAIN: a message for it is still arriving in an overflow
 * entry, and nothing was done. The application must try again when the next event arrives, or some milliseconds later, so that no later
 * message overtakes an earlier one. A new context has one entry, index 0: persistent, open to all messages, over the whole host memory;
 * unless created with message.no_entry.
 */
int spin_ctx__me_append(struct spin_ctx *ctx, const struct spin_me_opts *opts, unsigned *me);
/*
 * Unlinks an entry. -ENOENT: there is none. -EBUSY: a message uses it; it is gone when that completes. Answers to gets that still have to
 * be read from it are abandoned: none reads its memory when this returns, which takes a fifth of a second at most.
 */
int spin_ctx__me_unlink(struct spin_ctx *ctx, unsigned me);
/* Returns a copy of the entry. If it is unlinked, its state is SPIN_ME_FREE, or SPIN_ME_UNREAD before its event was read (see above). */
int spin_ctx__me_get(struct spin_ctx *ctx, unsigned me, struct spin_me *out);

/*
 * Searches for an unexpected message (PtlMESearch): the first one that an entry with these match_bits, ignore_bits and source would match.
 * *out is its event, SPIN_EVENT_PUT_OVERFLOW. `what` tells whether the message is kept or removed. -ENOENT: there is none. -EAGAIN: it is
 * still arriving. -EOPNOTSUPP: the context keeps none.
 */
enum spin_search { SPIN_SEARCH_ONLY, SPIN_SEARCH_DELETE };
int spin_ctx__me_search(struct spin_ctx *ctx, const struct spin_me_opts *opts, enum spin_search what, struct spin_event *out);

/*
 * Read and set the entry's counter, also when the entry is unlinked: two words, each accessed
 * atomically (<spin/action.h>). Zero when the entry is posted. -ENOENT: there can be no such entry; contexts of datagrams have only entry
 * 0.
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
	uint32_t packets_total;   /* 0: not yet known */
	uint32_t parked;
	uint32_t lowest_missing; /* packet; 0 while waiting */
	uint32_t dropped_bytes;
	uint32_t me;           /* SPIN_MES_MAX: none yet */
	uint32_t flow_control; /* 1: flow control dropped packets of it */
};

/*
 * Calls fn for every message in flight, until fn returns non-zero, which is returned.
 * Each message is a consistent snapshot, or is left out if it ended during the call.
 */
int spin_ctx__messages(struct spin_ctx *ctx, int (*fn)(void *arg, const struct spin_message_info *message), void *arg);
/* Summed over all HPUs. */
int spin_ctx__message_stats(struct spin_ctx *ctx, struct spin_message_stats *out);

/* --- time --- */

/*
 * Does the work that is due: evicts idle messages and handles remaining parked packets.
 * While the context is attached to an interface, a thread of the library does this every
 * few milliseconds, also while other functions of this context run; otherwise the caller must. Returns 0 or
 * a negative errno.
 */
int spin_ctx__progress(struct spin_ctx *ctx);
/*
 * Sets the time, in milliseconds, of a context created with message.virtual_clock, and of its handlers. -EINVAL: the context was created
 * without, or the time would go backwards. -EOPNOTSUPP: created without, and it takes datagrams.
 */
int spin_ctx__set_clock(struct spin_ctx *ctx, uint32_t now_ms);

#endif
