/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_ENGINE_CACHE_H
#define USER_CONFORMANCE_ENGINE_CACHE_H

/*
 * A cache of open engines (handlers loaded as host build, in the kernel, or on the model) by handler, context options and kind: opening one
 * takes longer than running a test vector. Used by comparison.c and tests.
 */
#include "user/conformance/types.h"

/* An engine that is kept open, and its key: handler, context and kind. */
struct engine_cache_entry {
	char name[32];
	struct engine_context context;
	struct spin_segment handler_mem[SPIN_SEGMENTS_MAX]; /* segments of `context` */
	enum engine_kind kind;
	struct types types;
	struct image initial; /* the handler's initial memory */
	struct engine *engine;
	int err; /* negative errno: opening failed, and is not tried again */
	char *reason;
};

/* All engines that were opened so far. */
struct engine_cache {
	struct engine_cache_entry **entry;
	unsigned count;
};

/*
 * Same as engine_open(), but returns a cached engine if there is one. -EOPNOTSUPP: the engine takes no messages, so it cannot run this
 * context. Message options of a context of datagrams are ignored. A cache must not have two handlers with the same name.
 */
int engine_cache_get(struct engine_cache *cache, enum engine_kind kind, const struct engine_handler *handler,
		     const struct engine_context *context, struct engine_cache_entry **out);
void engine_cache_close(struct engine_cache *cache);

#endif
