/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_ENGINE_POOL_H
#define USER_ENGINE_POOL_H

/* Engines opened once per handler, context and kind, and kept: opening one takes longer than a vector. */
#include "user/conformance/types.h"

struct pool_entry {
	char name[32];
	struct engine_context context;
	struct spin_segment handler_mem[SPIN_SEGMENTS_MAX]; /* its */
	enum engine_kind kind;
	struct types types;
	struct image initial; /* memory as the handler starts */
	struct engine *engine;
	int err; /* opening it failed: so it will again */
	char *why;
};

struct pool {
	struct pool_entry **entry;
	unsigned count;
};

/*
 * As engine_open(); -EOPNOTSUPP: the engine takes no messages, so it cannot run this context. What a context of
 * datagrams has of messages does not count. A handler's name stands for its files: one pool has one handler of a name.
 */
int pool_get(struct pool *pool, enum engine_kind kind, const struct engine_handler *handler, const struct engine_context *context,
	     struct pool_entry **out);
void pool_close(struct pool *pool);

#endif
