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

/* Before loading: the context's buffers are the process's. Then the context holds them. */
int out__prepare(struct spin_ctx *ctx);
/* After it: finds what is written from outside. */
int out__open(struct spin_ctx *ctx);
void out__close(struct spin_ctx *ctx);

/*
 * A place was joined, or is to be left; the lock of its interface is held. Until it is joined, packets leave by the host's
 * library. Call out__leave() before the interface's program is gone.
 */
int out__join(struct spin_ctx *ctx, const struct spin_place *place);
void out__leave(struct spin_ctx *ctx, const struct spin_place *place);
/* When an interface is closed. */
void out__forget(struct spin_nic *nic);

/* Copies that became packets, of all HPUs. */
uint64_t out__made(const struct spin_ctx *ctx);

/* For out.c and hop.c. */

/* A context's part. */
struct out {
	unsigned owner;
	int ways_fd;
	struct spin_way *way; /* the program's, mapped */
	uint64_t made_before; /* by earlier contexts of this number */
};

#endif
