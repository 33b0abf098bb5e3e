/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_REQUESTS_OUT_H
#define USER_LIBSPIN_REQUESTS_OUT_H

/*
 * The way out for packets that handlers send (bpf/actions/out.h). One ring of buffers and one program (bpf/out.bpf.c) for
 * all contexts of this process, loaded with the first one that needs them; devmaps for each interface, made when
 * the first such context comes to it.
 *
 * Functions return 0 or a negative errno with a reason.
 */
#include "bpf/abi/tx_ring.h"
#include "user/libspin/internal.h"

/* Before loading: makes the context use the process's tx ring, and holds a reference to it. */
int out__prepare(struct spin_ctx *ctx);
/* After loading: finds the variables that libspin writes. */
int out__open(struct spin_ctx *ctx);
void out__close(struct spin_ctx *ctx);

/*
 * A place was joined, or is to be left; the lock of its interface is held. Until it is joined, packets leave by the host's
 * library. Call out__leave() before the interface's program is gone.
 */
int out__join(struct spin_ctx *ctx, const struct spin_place *place);
void out__leave(struct spin_ctx *ctx, const struct spin_place *place);
/* Frees the devmaps of an interface that is closed. */
void out__forget(struct spin_nic *nic);

/* How many clones became packets, on all HPUs. */
uint64_t out__made(const struct spin_ctx *ctx);

/* For out.c and hop.c. */

/* The tx state of one context. */
struct out {
	unsigned owner;
	int ways_fd;
	struct spin_way *way; /* the program's, mapped */
	uint64_t made_before; /* count by earlier contexts with this owner number */
};

#endif
