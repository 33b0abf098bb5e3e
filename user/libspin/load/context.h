/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_LOAD_CONTEXT_H
#define USER_LIBSPIN_LOAD_CONTEXT_H

/*
 * Loads the programs of a context, after ctx.c has set its options: ctx->bpf, ctx->btf, ctx->bounded and ctx->direct_bytes. Returns 0 or a
 * negative errno with a reason; on failure ctx->bpf may be open.
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
