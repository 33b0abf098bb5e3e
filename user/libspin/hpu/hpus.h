/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_HPU_HPUS_H
#define USER_LIBSPIN_HPU_HPUS_H

/*
 * Selects the HPUs of a context, the logical processors that run its handlers (enum spin_hpus): CPUs, receive queues, or CPUs behind a
 * cpumap. Called by ctx.c, attach.c, ring.c and class.c. Functions return 0 or a negative errno with a reason.
 */
#include "bpf/abi/spread.h"
#include "user/libspin/internal.h"

/* Before loading: checks that interface and class support the requested HPUs, and sets the fields of ctx. */
int hpus__choose(struct spin_ctx *ctx, const struct spin_ctx_opts *opts);

/* --- receive queues --- */

/* Sets *count to the number of receive queues that the interface can have. */
int queues__count(const struct spin_nic *nic, uint32_t *count);
/*
 * Starts a NAPI thread for each queue with the first context that needs it; the last one ends them. The caller holds the interface's lock.
 */
int queues__thread(struct spin_nic *nic);
void queues__unthread(struct spin_nic *nic);

/* --- packets spread over CPUs --- */

/* Before loading: selects the programs. Does nothing for contexts that do not spread. */
int spread__prepare(struct spin_ctx *ctx);
/* After loading: installs the context's program on the CPUs, and makes spin_spread the program that the dispatcher calls. */
int spread__open(struct spin_ctx *ctx);
/* Waits until the CPUs have handled all packets given to them, or make no progress. The caller has stopped the flow of packets. */
void spread__drain(const struct spin_ctx *ctx);

#endif
