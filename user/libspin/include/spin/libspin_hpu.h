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
 * Allocates HPU memory, initialized to zero. It holds the state (SPIN_STATE) of every context that is created with it, starting at its
 * first byte, and outlives them. The initial value that handlers register is ignored. Handlers of all these contexts share it like handlers
 * of one context; what they must agree on is their own responsibility. nic may be NULL. -E2BIG: more than max_handler_mem. -EINVAL: 0
 * bytes. -EPERM: not root.
 */
int spin_hpu_mem__alloc(struct spin_nic *nic, size_t bytes, struct spin_hpu_mem **out);
/* May be called before the contexts that use the memory are destroyed: they keep it. */
void spin_hpu_mem__free(struct spin_hpu_mem *mem);
/* Mapped, shared with running handlers. Valid until spin_hpu_mem__free(). bytes may be NULL. */
void *spin_hpu_mem__addr(struct spin_hpu_mem *mem, size_t *bytes);

/* --- limits: a request beyond one is refused (sPIN B.2.1; names as there) --- */

struct spin_ni_limits {
	size_t bytes;               /* sizeof(struct spin_ni_limits), set by the caller */
	uint32_t max_user_hdr_size; /* bytes of .user_header_bytes */
	uint32_t max_payload_size;  /* of a datagram that handlers see: the MTU minus the IPv4 and UDP headers; SLMP uses 10 of them */
	uint64_t max_handler_mem;   /* bytes of state and tables */
	uint64_t max_initial_state; /* bytes of state, and of its initial value */
	uint32_t min_fragmentation_limit; /* for packets without .fragmentation_bytes */
	uint32_t max_fragmentation_limit; /* of .fragmentation_bytes */
	uint32_t max_cycles_per_byte;     /* 0: no limit: live handlers have a budget of steps; for a modelled card see spinctl limits */
	uint32_t max_budget;              /* of .budget */
	uint32_t max_messages;            /* in flight; SPIN_MPQS_MAX */
	uint32_t max_entries;             /* matching entries; SPIN_MES_MAX */
	uint32_t max_iovecs;              /* segments of a handler's host memory; SPIN_SEGMENTS_MAX */
	uint32_t max_puts;                /* of SPIN_PUTS */
	uint32_t max_put_size;            /* bytes of payload of a packet that a handler sends */
	uint64_t max_host_mem;
	uint32_t max_contexts; /* per interface */
	uint32_t num_hpus;     /* CPUs; where receive queues are HPUs, the number of queues */
};

/*
 * Returns the limits of an interface. Handlers beyond a limit are refused when they are compiled or their object is opened. A request of an
 * application beyond a limit fails with -E2BIG, -ENOSPC or -EINVAL and a reason that names limit and value. nic may be NULL: the limits of
 * any interface. -ENODEV: it went away. -EINVAL: bytes is not set.
 */
int spin_nic__limits(struct spin_nic *nic, struct spin_ni_limits *out);

/* --- capabilities --- */

enum spin_capability {
	SPIN_CAP_MESSAGE_MATCHING = 1, /* packets are matched by context, message and matching entry */
	SPIN_CAP_HEADER_FIRST = 2,     /* the packet with a message's header is handled before all its other packets */
	SPIN_CAP_NO_DUPLICATES = 4,    /* each packet of a message is handled once: handlers need not be idempotent */
	SPIN_CAP_RELIABLE =
		8, /* in addition, all packets of a message arrive, or the host learns that they did not (with senders that retransmit) */
	SPIN_CAP_IN_ORDER = 16,  /* packets of a message are handled in order: no delivery provides it */
	SPIN_CAP_BUDGET = 32,    /* a handler that overruns is stopped and reported */
	SPIN_CAP_ISOLATION = 64, /* handlers access only their context's memory */
	SPIN_CAP_FORWARD = 128,  /* several packets can be sent from one handler run without the host */
};

/*
 * Returns the capabilities of contexts with this delivery on this interface (NULL: any). Header first holds for all deliveries: packets of
 * a message that overtake its first packet are parked until that is handled; each datagram is a message and its own header; of a TCP
 * connection the first segment that arrives is the header. Datagrams that the network loses or duplicates are lost or handled twice, and
 * segments that TCP sends again are handled again, so their handlers must be idempotent. A duplicate packet of a message is recognized
 * while the message is in flight, and for tombstone_ms after. Budget and isolation hold for all deliveries: the verifier confines handlers
 * to their context's memory, in either class. Where the kernel is too old for messages (`spinctl limits` shows the version), contexts of
 * messages have no capabilities.
 *
 * A context states the capabilities that it needs in its options: creating it fails with -ENOTSUP if one is missing.
 */
uint32_t spin_nic__capabilities(struct spin_nic *nic, enum spin_delivery delivery);
const char *spin_capability_name(enum spin_capability capability); /* "header_first" */

#endif
