/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_SHARE_H
#define USER_LIBSPIN_SHARE_H

/* What spind must know of clients' objects and contexts: how large they are, and which of their memories a client may map. */
#include <spin/libspin.h>

struct share_needs {
	uint64_t map_bytes;    /* of the kernel's memory, without host memory */
	uint32_t instructions; /* of all its programs */
};
/* is_stream: of a context for a socket of TCP. */
void share__needs(const struct spin_object *obj, int is_stream, struct share_needs *out);

/* Descriptors of the context's maps, which stay its own. */
struct share_memories {
	int data, bss, events, host; /* -1: it has none */
	uint32_t hpus;
	uint32_t bounded; /* 1: its layout is that of the programs with bounded loops */
	uint64_t host_bytes;
};
void share__memories(const struct spin_ctx *ctx, struct share_memories *out);

/* By what others call it: the kernel's number of its guard's program, or of its own if it has no guard. */
uint32_t share__id(const struct spin_ctx *ctx);

/*
 * spin_ctx__create_opts() of a context whose state, tables, events and host memory are those of `share`, too: of the same layout, and
 * kept from ending by the caller. share NULL: its own.
 */
int share__create(struct spin_nic *nic, const struct spin_object *obj, const struct spin_rule *rule, const struct spin_ctx_opts *opts,
		  struct spin_ctx *share, struct spin_ctx **out);

/* 1: it is on a socket of TCP. */
int share__takes_streams(const struct spin_ctx *ctx);

/* Its rule, for a person. */
const struct spin_rule *share__rule(const struct spin_ctx *ctx);

#endif
