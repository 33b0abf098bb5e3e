/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_ENGINE_POOL_H
#define USER_ENGINE_POOL_H

/* Engines opened once per handler, rule and kind, and kept: opening one takes longer than a vector. */
#include "types.h"

struct pool_entry {
	char name[32];
	struct spin_rule rule;
	enum engine_kind kind;
	struct types types;
	struct image initial; /* memory as the handler starts */
	struct engine *engine;
};

struct pool {
	struct pool_entry **entry;
	unsigned count;
};

/* As engine_open(). A handler's name stands for its files: one pool has one handler of a name. */
int pool_get(struct pool *pool, enum engine_kind kind, const struct engine_handler *handler,
	     const struct spin_rule *rule, struct pool_entry **out);
void pool_close(struct pool *pool);

#endif
