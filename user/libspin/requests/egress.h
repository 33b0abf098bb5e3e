/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_REQUESTS_EGRESS_H
#define USER_LIBSPIN_REQUESTS_EGRESS_H

/*
 * Sends packets that handlers build while they run (bpf/actions/out.h). All contexts of this process share one tx ring and one egress
 * program (bpf/out.bpf.c), which are loaded for the first context whose handlers send. Each interface gets devmaps when the first such
 * context is attached to it. Called by ctx.c and attach.c.
 *
 * Functions return 0 or a negative errno with a reason.
 */
#include "bpf/abi/tx_ring.h"
#include "user/libspin/internal.h"

/* Before loading: makes the context use the process's tx ring, and holds a reference to it. */
int egress__prepare(struct spin_ctx *ctx);
/* After loading: finds the variables that libspin writes. */
int egress__open(struct spin_ctx *ctx);
void egress__close(struct spin_ctx *ctx);

/*
 * A place is an interface to which the context is attached. egress__join() must be called after attaching the context there, and
 * egress__leave() before detaching it, both with the interface's lock held. Before egress__join() libspin's thread sends the packets from
 * user space.
 */
int egress__join(struct spin_ctx *ctx, const struct spin_place *place);
void egress__leave(struct spin_ctx *ctx, const struct spin_place *place);
/* Frees the devmaps of an interface that is closed. */
void egress__forget(struct spin_nic *nic);

/* Returns how many clones of frames the egress program rewrote into packets, summed over all HPUs. */
uint64_t egress__made(const struct spin_ctx *ctx);

/* The rest is internal to egress.c and neigh.c, which resolves the next hop of a packet. */

/* The tx state of one context. */
struct egress {
	unsigned owner; /* number that identifies this context in the tx ring, 0 to 63 */
	int devmaps_fd;
	struct spin_egress_dev *dev; /* mapped variable of the context's program */
	uint64_t made_before;        /* count by earlier contexts with this owner number */
};

#endif
