/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"

static void close_entry(struct pool_entry *entry)
{
	engine_close(entry->engine);
	image_free(&entry->initial);
	types_close(&entry->types);
	free(entry);
}

static int open_entry(struct pool_entry *entry, const struct engine_handler *handler)
{
	int err = engine_open(entry->kind, handler, &(struct engine_context){ .rule = entry->rule }, &entry->engine);

	if (!err)
		err = types_open(handler->object, &entry->types);
	if (!err)
		err = image_alloc(&entry->types, &entry->initial);
	return err ? err : image_read(&entry->types, &entry->initial, entry->engine);
}

int pool_get(struct pool *pool, enum engine_kind kind, const struct engine_handler *handler,
	     const struct spin_rule *rule, struct pool_entry **out)
{
	struct pool_entry **grown, *entry;
	int err;

	for (unsigned i = 0; i < pool->count; i++) {
		*out = pool->entry[i];
		if ((*out)->kind == kind && !strcmp((*out)->name, handler->name) &&
		    !memcmp(&(*out)->rule, rule, sizeof(*rule)))
			return 0;
	}
	*out = NULL;
	grown = realloc(pool->entry, (pool->count + 1) * sizeof(struct pool_entry *));
	if (grown)
		pool->entry = grown;
	entry = grown ? calloc(1, sizeof(*entry)) : NULL;
	if (!entry)
		return engine_fail(-ENOMEM, "no memory");
	snprintf(entry->name, sizeof(entry->name), "%s", handler->name);
	entry->rule = *rule;
	entry->kind = kind;
	err = open_entry(entry, handler);
	if (err) {
		close_entry(entry);
		return err;
	}
	pool->entry[pool->count++] = *out = entry;
	return 0;
}

void pool_close(struct pool *pool)
{
	for (unsigned i = 0; i < pool->count; i++)
		close_entry(pool->entry[i]);
	free(pool->entry);
	*pool = (struct pool){ 0 };
}
