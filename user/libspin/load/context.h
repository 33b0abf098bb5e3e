/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_LOAD_CONTEXT_H
#define USER_LIBSPIN_LOAD_CONTEXT_H

/*
 * Loads the programs of a context (loaded packet handlers) into the kernel, for ctx.c, which has set the options in ctx before. Sets
 * ctx->bpf, ctx->btf, and what the variant that was loaded is limited to: ctx->bounded (loops) and ctx->direct_bytes (packet size). Returns
 * 0 or a negative errno with a reason; on failure ctx->bpf may be open.
 */
#include <stdint.h>

struct spin_ctx;
struct spin_nic;
struct spin_object;
struct spin_ctx_opts;

/*
 * Returns the largest MTU of these interfaces, not counting those whose MTU is no shorter than what programs with bounded loops accept
 * anyway (NI_LINEAR_BYTES_MAX); 0: there is none. An entry that is NULL, or has no interface, counts as MTU 1500.
 */
uint32_t load_bytes_by_mtu(struct spin_nic *const *nics, unsigned count);

int load_context(struct spin_ctx *ctx, const struct spin_object *obj, const struct spin_ctx_opts *wanted);

#endif
