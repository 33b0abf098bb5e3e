/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_SHARE_H
#define USER_LIBSPIN_SHARE_H

/*
 * What the daemon spind must know about its clients' objects and contexts (loaded packet handlers): their sizes, and the memories that a
 * client may map. Called by spind; implemented by share.c and ctx.c.
 */
#include <spin/libspin.h>

/* What an object would take in the kernel. */
struct share_needs {
	uint64_t map_bytes;    /* kernel memory of its maps, without host memory */
	uint32_t instructions; /* of all its programs */
};
/*
 * Sets *out to what the object would take. An object has two variants of its programs, with bounded loops and without; the kernel decides
 * which one is loaded, so each number is the larger one of both. is_stream: for a context of TCP streams. Returns 0, or -EINVAL with a
 * reason.
 */
int share__needs(const struct spin_object *obj, int is_stream, struct share_needs *out);

/* Descriptors of the context's maps; the context keeps them. */
struct share_memories {
	int data, bss, events, host; /* -1: none */
	uint32_t hpus;
	uint32_t bounded; /* 1: its layout is that of the programs with bounded loops */
	uint32_t direct_bytes;
	uint64_t host_bytes;
};
void share__memories(const struct spin_ctx *ctx, struct share_memories *out);

/* Returns the context's public number: the kernel's ID of its guard's program, or of its own program without a guard. */
uint32_t share__id(const struct spin_ctx *ctx);

/*
 * Like spin_ctx__create_opts(), for a context that will be attached to all of `nics`; it is created on the first. It shares state, tables,
 * events and host memory of `share`, which must have the same layout and which the caller must keep alive during the call. share NULL: it
 * has its own.
 */
int share__create(struct spin_nic *const *nics, unsigned count, const struct spin_object *obj, const struct spin_rule *rule,
		  const struct spin_ctx_opts *opts, struct spin_ctx *share, struct spin_ctx **out);

/* Returns 1 if it is on a TCP socket and takes the bytes of connections, after TCP. */
int share__takes_streams(const struct spin_ctx *ctx);

/* Returns 1 if it takes TCP, as streams or as segments. */
int share__takes_tcp(const struct spin_ctx *ctx);

/* Returns its rule, for display. */
const struct spin_rule *share__rule(const struct spin_ctx *ctx);

#endif
