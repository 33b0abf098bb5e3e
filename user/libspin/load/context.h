/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_LOAD_CONTEXT_H
#define USER_LIBSPIN_LOAD_CONTEXT_H

/*
 * Loads the programs of a context, after ctx.c has set its options: ctx->bpf, ctx->btf, ctx->bounded and ctx->direct_bytes. Returns 0 or a
 * negative errno with a reason; on failure ctx->bpf may be open.
 */
struct spin_ctx;
struct spin_object;
struct spin_ctx_opts;

int load_context(struct spin_ctx *ctx, const struct spin_object *obj, const struct spin_ctx_opts *wanted);

#endif
