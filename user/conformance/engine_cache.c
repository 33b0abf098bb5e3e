/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Keeps engines (loaded packet handlers: host build, kernel, model) open between vectors (tests), since opening one takes longer than
 * running a vector. Called by comparison.c and tests. The key is handler, options of the context, and kind of engine.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spin/wire.h>

#include "user/conformance/engine_cache.h"

static void close_entry(struct engine_cache_entry *entry)
{
	engine_close(entry->engine);
	image_free(&entry->initial);
	types_close(&entry->types);
	free(entry->reason);
	free(entry);
}

/* Compares contexts, with the segments by value. */
static int same_context(const struct engine_context *a, const struct engine_context *b)
{
	struct engine_context x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	x.message.handler_mem = y.message.handler_mem = NULL;
	return !memcmp(&x, &y, sizeof(x)) &&
	       (!a->message.handler_segments ||
		!memcmp(a->message.handler_mem, b->message.handler_mem, a->message.handler_segments * sizeof(struct spin_segment)));
}

/* Clears the options that only contexts of messages have. */
static void clear_message_options(const struct types *t, struct spin_message_opts *opts)
{
	const struct spin_message_opts all = *opts;

	*opts = (struct spin_message_opts){ 0 };
	if (!t->host_memory)
		return;
	opts->host_bytes = all.host_bytes;
	opts->handler_mem = all.handler_mem;
	opts->handler_segments = all.handler_segments;
}

static int open_entry(struct engine_cache_entry *entry, const struct engine_handler *handler)
{
	struct engine_context context = entry->context;
	int err = types_open(handler->object, &entry->types);

	if (err)
		return err;
	if (!context.rule.protocol && !context.rule.ether_type)
		context.rule.protocol = entry->types.segments ? SPIN_IP_TCP : SPIN_IP_UDP;
	if (!entry->types.messages)
		clear_message_options(&entry->types, &context.message);
	err = engine_open(entry->kind, handler, &context, &entry->engine);
	if (!err && (entry->types.messages || entry->types.segments) && !entry->engine->ops->reset)
		err = engine_fail(-EOPNOTSUPP, "the engine %s takes no %s", engine_name(entry->kind),
				  entry->types.messages ? "messages" : "TCP segments");
	if (!err)
		err = image_alloc(&entry->types, &entry->initial);
	return err ? err : image_read(&entry->types, &entry->initial, entry->engine);
}

static struct engine_cache_entry *find(const struct engine_cache *cache, enum engine_kind kind, const char *name,
				       const struct engine_context *context)
{
	for (unsigned i = 0; i < cache->count; i++) {
		struct engine_cache_entry *entry = cache->entry[i];

		if (entry->kind == kind && !strcmp(entry->name, name) && same_context(&entry->context, context))
			return entry;
	}
	return NULL;
}

int engine_cache_get(struct engine_cache *cache, enum engine_kind kind, const struct engine_handler *handler,
		     const struct engine_context *context, struct engine_cache_entry **out)
{
	struct engine_cache_entry **grown, *entry = find(cache, kind, handler->name, context);

	*out = entry;
	if (entry)
		return entry->err ? engine_fail(entry->err, "%s", entry->reason) : 0;
	grown = realloc(cache->entry, (cache->count + 1) * sizeof(struct engine_cache_entry *));
	if (grown)
		cache->entry = grown;
	entry = grown ? calloc(1, sizeof(*entry)) : NULL;
	if (!entry)
		return engine_fail(-ENOMEM, "no memory");
	snprintf(entry->name, sizeof(entry->name), "%s", handler->name);
	memcpy(&entry->context, context, sizeof(*context));
	entry->context.message.handler_mem = entry->handler_mem;
	for (unsigned i = 0; i < context->message.handler_segments; i++)
		entry->handler_mem[i] = context->message.handler_mem[i];
	entry->kind = kind;
	entry->err = open_entry(entry, handler);
	if (entry->err)
		entry->reason = strdup(engine_error());
	cache->entry[cache->count++] = *out = entry;
	return entry->err;
}

void engine_cache_close(struct engine_cache *cache)
{
	for (unsigned i = 0; i < cache->count; i++)
		close_entry(cache->entry[i]);
	free(cache->entry);
	*cache = (struct engine_cache){ 0 };
}
