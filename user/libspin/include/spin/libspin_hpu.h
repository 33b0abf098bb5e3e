/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef LIBSPIN_HPU_H
#define LIBSPIN_HPU_H

/*
 * HPU memory that outlives a context and may be shared by several (sPIN B.2), what an interface
 * guarantees (PsPIN 3.4) and how much it takes (sPIN B.2.1).
 *
 *	struct spin_hpu_mem *mem;
 *
 *	spin_hpu_mem__alloc(nic, sizeof(struct tally), &mem);
 *	opts.hpu_mem = mem;                  // of both contexts: their handlers have one spin_state
 *	opts.initial_state = &start;
 *	opts.initial_state_bytes = sizeof(start);
 *	spin_ctx__create_opts(nic, counts, &rule, &opts, &a);
 *	opts.initial_state = NULL;           // the second finds what is there
 *	opts.initial_state_bytes = 0;
 *	spin_ctx__create_opts(nic, answers, &other, &opts, &b);
 */
#include <spin/libspin.h>

/* --- HPU memory --- */

/*
 * Zero at the start. It holds the state (SPIN_STATE) of every context that is created with it, from its first byte
 * on, and stays after them; what the handlers register as initial value is not looked at. Handlers of all these
 * contexts share it as those of one do: what they must agree on is theirs to see to. nic may be NULL. -E2BIG: more than
 * max_handler_mem. -EINVAL: 0 bytes. -EPERM: not root.
 */
int spin_hpu_mem__alloc(struct spin_nic *nic, size_t bytes, struct spin_hpu_mem **out);
/* Contexts that have it keep it until they are destroyed: it may be freed before them. */
void spin_hpu_mem__free(struct spin_hpu_mem *mem);
/* Mapped, shared with running handlers. Valid until spin_hpu_mem__free(). bytes may be NULL. */
void *spin_hpu_mem__addr(struct spin_hpu_mem *mem, size_t *bytes);

/* --- limits: what asks for more is refused (sPIN B.2.1; names as there) --- */

struct spin_ni_limits {
	size_t bytes;                     /* sizeof(struct spin_ni_limits), set by the caller */
	uint32_t max_user_hdr_size;       /* of .user_header_bytes */
	uint32_t max_payload_size;        /* bytes of a datagram that handlers see: the MTU less IPv4 and UDP; SLMP has 10 of them */
	uint64_t max_handler_mem;         /* bytes of state and tables */
	uint64_t max_initial_state;       /* bytes of state, and of what it begins with */
	uint32_t min_fragmentation_limit; /* what holds for every packet without .fragmentation_bytes */
	uint32_t max_fragmentation_limit; /* of .fragmentation_bytes */
	uint32_t max_cycles_per_byte;     /* 0: no limit: live handlers have a budget of steps; of a modelled card see spinctl limits */
	uint32_t max_budget;              /* of .budget */
	uint32_t max_messages;            /* in flight; SPIN_MPQS_MAX */
	uint32_t max_entries;             /* matching entries; SPIN_MES_MAX */
	uint32_t max_iovecs;              /* segments of a handler's host memory; SPIN_SEGMENTS_MAX */
	uint32_t max_puts;                /* of SPIN_PUTS */
	uint32_t max_put_size;            /* bytes of payload of a packet that a handler sends */
	uint64_t max_host_mem;
	uint32_t max_contexts; /* of the interface */
	uint32_t num_hpus;     /* CPUs; where receive queues are HPUs, there are as many as these */
};

/*
 * What handlers have or register beyond a limit is refused when they are compiled or their object is opened, and what an
 * application asks for when it asks, with -E2BIG, -ENOSPC or -EINVAL and a reason that says limit and value. nic may be NULL: what holds for any
 * interface. -ENODEV: it went away. -EINVAL: bytes is not set.
 */
int spin_nic__limits(struct spin_nic *nic, struct spin_ni_limits *out);

/* --- capabilities --- */

enum spin_capability {
	SPIN_CAP_MESSAGE_MATCHING = 1, /* packets are told by context, message and matching entry */
	SPIN_CAP_HEADER_FIRST = 2,     /* the packet with a message's header is handled before all others of it */
	SPIN_CAP_NO_DUPLICATES = 4,    /* each packet of a message is handled once: handlers need not be idempotent */
	SPIN_CAP_RELIABLE = 8,         /* and all of a message come, or the host learns that they did not (with senders that resend) */
	SPIN_CAP_IN_ORDER = 16,        /* packets of a message are handled in its order: none of our deliveries */
	SPIN_CAP_BUDGET = 32,          /* a handler that overruns is stopped and reported */
	SPIN_CAP_ISOLATION = 64,       /* handlers reach nothing but their context's memory */
	SPIN_CAP_FORWARD = 128,        /* several packets out of one run leave without the host's help */
};

/*
 * The capabilities of contexts with this delivery on this interface (NULL: any). Header first holds for both: packets of a
 * message that overtake its first one are parked until that is handled; of datagrams each is a message, and its own
 * header. What the network loses or doubles of datagrams is lost or handled twice: their handlers are to be idempotent.
 * A packet of a message that comes again is known as long as the message is in flight, and tombstone_ms after. Budget and
 * isolation hold for both: the verifier lets no handler reach more than its context's memory, in either class. Where the
 * kernel is too old for messages (`spinctl limits` says which it has), contexts of messages have none.
 *
 * Capabilities that a context needs go into its options: creating it fails with -ENOTSUP where one is missing.
 */
uint32_t spin_nic__capabilities(struct spin_nic *nic, enum spin_delivery delivery);
const char *spin_capability_name(enum spin_capability capability); /* "header_first" */

#endif
