/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_HPU_HPUS_H
#define USER_LIBSPIN_HPU_HPUS_H

/*
 * Which logical processors a context's HPUs are (enum spin_hpus). Functions return 0 or a
 * negative errno with a reason.
 */
#include "bpf/abi/spread.h"
#include "user/libspin/internal.h"

/* Before loading: is what was asked for possible with this interface and class? Sets the fields of ctx. */
int hpus__choose(struct spin_ctx *ctx, const struct spin_ctx_opts *opts);

/* --- receive queues --- */

/* How many the interface can have. */
int queues__count(const struct spin_nic *nic, uint32_t *count);
/* A NAPI thread for each, from the first context on that wants it until the last one leaves; its lock is held. */
int queues__thread(struct spin_nic *nic);
void queues__unthread(struct spin_nic *nic);

/* --- packets given to CPUs --- */

/* Before loading: which programs, for which place. Nothing for contexts that do not spread. */
int spread__prepare(struct spin_ctx *ctx);
/* After it: the CPUs have the context's program, whose place takes the one that gives them packets. */
int spread__open(struct spin_ctx *ctx);
/* Returns when all that was given has been handled, or nothing goes on any more. No more is given. */
void spread__drain(const struct spin_ctx *ctx);

#endif
