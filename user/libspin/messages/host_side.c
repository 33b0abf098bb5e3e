/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Creates and resets the host memory of a context (memory that handlers share with the application) and what belongs to its matching
 * entries, the parts of it that are posted for messages: segments and counters. Called by ctx.c, load/class.c, socket.c, me.c and reset.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "user/libspin/card/card.h"
#include "user/libspin/object/layout.h"
#include "user/libspin/messages/messages.h"
#include "user/libspin/messages/host_side.h"

int host_side__check(const struct host_side *host, const struct spin_segment *segment, unsigned segments)
{
	if (segments > SPIN_SEGMENTS_MAX)
		return spin_fail(-EINVAL, "%u segments of handler memory: an entry has at most %u", segments, SPIN_SEGMENTS_MAX);
	if (segments && !segment)
		return spin_fail(-EINVAL, "%u segments of handler memory, but handler_mem is NULL: say where they are", segments);
	for (unsigned i = 0; i < segments; i++) {
		uint64_t end = (uint64_t)segment[i].start + segment[i].length;

		if (segment[i].start % 8 || segment[i].length % 8 || !segment[i].length)
			return spin_fail(-EINVAL,
					 "segment %u of the handler memory is bytes %u to %llu: start and length are to "
					 "be multiples of 8, and the length not 0",
					 i, segment[i].start, (unsigned long long)end);
		if (end > host->memory.bytes)
			return spin_fail(-EINVAL,
					 "segment %u of the handler memory is bytes %u to %llu, and lies outside the host "
					 "memory of %zu bytes: create the context with more (message.host_bytes)",
					 i, segment[i].start, (unsigned long long)end, host->memory.bytes);
	}
	return 0;
}

int host_side__take(struct host_side *host, const struct spin_message_opts *opts)
{
	int err;

	if (opts->host_bytes > SPIN_HOST_BYTES_MAX)
		return spin_fail(-EINVAL,
				 "message.host_bytes is %zu, but a context has at most %u bytes of host memory: give "
				 "less",
				 opts->host_bytes, SPIN_HOST_BYTES_MAX);
	host->memory.bytes = opts->host_bytes ? opts->host_bytes : SPIN_HOST_BYTES;
	if (opts->no_entry && opts->handler_segments)
		return spin_fail(-EINVAL, "message.handler_mem is the first entry's, and message.no_entry says there is none: "
					  "give it to spin_ctx__me_append()");
	err = host_side__check(host, opts->handler_mem, opts->handler_segments);
	if (err)
		return err;
	host->segments = opts->handler_segments;
	if (host->segments)
		memcpy(host->segment, opts->handler_mem, host->segments * sizeof(host->segment[0]));
	return 0;
}

/* The compiler omits the variable if handlers use neither counters nor their own host memory. */
static int has_entries(const struct bpf_object *bpf)
{
	struct layout_variable var;

	return !layout__find(bpf_object__btf(bpf), "spin_me_memory", &var);
}

int host_side__prepare(struct host_side *host, struct bpf_object *bpf, int messages)
{
	struct bpf_map *map = bpf_object__find_map_by_name(bpf, "spin_host");
	uint32_t bytes = ((uint32_t)host->memory.bytes + 7) / 8 * 8 + SPIN_HOST_SLACK;

	host->is_own = !messages && !has_entries(bpf);
	if (host->is_own)
		return map ? bpf_map__set_autocreate(map, false) : 0;
	return map ? bpf_map__set_value_size(map, bytes) : -ENOENT;
}

static int map_memory(struct spin_ctx *ctx, int map_fd)
{
	struct host_side *host = &ctx->host;
	void *addr = mmap(NULL, host->memory.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (host->is_own ? MAP_ANONYMOUS : 0),
			  host->is_own ? -1 : map_fd, 0);

	if (addr == MAP_FAILED)
		return spin_fail(-errno, "cannot map the host memory of %s: %s", ctx->name, strerror(errno));
	host->memory.addr = addr;
	return 0;
}

/* In contexts of datagrams the whole host memory is the handlers' by default. */
static void post_for_datagrams(struct host_side *host)
{
	const struct spin_segment all = { 0, (uint32_t)host->memory.bytes / 8 * 8 };

	if (host->segments)
		host_side__post(host, 0, host->segment, host->segments);
	else
		host_side__post(host, 0, &all, all.length != 0);
}

static int open_memory(struct spin_ctx *ctx, int map_fd)
{
	const size_t bytes = SPIN_MES_MAX * sizeof(struct spin_me_memory);
	struct host_side *host = &ctx->host;
	int err = map_memory(ctx, map_fd);

	if (err)
		return err;
	if (has_entries(ctx->bpf)) {
		host->entry = section__variable(ctx->bpf, ".bss", &ctx->bss, "spin_me_memory", bytes);
		if (!host->entry)
			return spin_fail(-EINVAL, "%s has no entries of this version; compile it again with spincc", ctx->name);
	} else {
		host->own_entry = calloc(1, bytes);
		if (!host->own_entry)
			return spin_fail(-ENOMEM, "no memory for the entries of %s", ctx->name);
		host->entry = host->own_entry;
	}
	return 0;
}

int host_side__open(struct spin_ctx *ctx)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(ctx->bpf, "spin_host");
	int err = open_memory(ctx, map ? bpf_map__fd(map) : -1);

	if (!err && !ctx->messages)
		post_for_datagrams(&ctx->host);
	return err;
}

int host_side__open_shared(struct spin_ctx *ctx, int map_fd)
{
	ctx->host.is_own = !has_entries(ctx->bpf);
	if (!ctx->host.is_own && map_fd < 0)
		return spin_fail(-EPROTO, "the host memory of %s is missing", ctx->name);
	return open_memory(ctx, map_fd);
}

void host_side__close(struct host_side *host)
{
	section__close(&host->memory);
	free(host->own_entry);
	host->entry = host->own_entry = NULL;
}

void host_side__reset(struct spin_ctx *ctx)
{
	struct host_side *host = &ctx->host;

	memset(host->memory.addr, 0, host->memory.bytes);
	memset(host->entry, 0, SPIN_MES_MAX * sizeof(*host->entry));
	if (!ctx->messages)
		post_for_datagrams(host);
}

void host_side__post(struct host_side *host, unsigned me, const struct spin_segment *segment, unsigned segments)
{
	struct spin_me_memory *entry = &host->entry[me];

	memset(entry, 0, sizeof(*entry));
	for (unsigned i = 0; i < segments; i++) {
		entry->segment[i] = segment[i];
		entry->bytes += segment[i].length;
	}
	entry->segments = segments;
}

int spin_ctx__host_memory(struct spin_ctx *ctx, void **addr, size_t *bytes)
{
	if (ctx->card)
		return card__cannot(ctx, "host memory");
	*addr = ctx->host.memory.addr;
	*bytes = ctx->host.memory.bytes;
	return 0;
}

static int check_entry(const struct spin_ctx *ctx, unsigned me)
{
	if (ctx->card)
		return card__cannot(ctx, "matching entry, nor its counter");
	if (me >= (ctx->messages ? SPIN_MES_MAX : 1))
		return spin_fail(-ENOENT,
				 ctx->messages ? "%s has no matching entry %u: the highest is %u"
					       : "%s has no matching entry %u: of datagrams there is %u alone",
				 ctx->name, me, ctx->messages ? SPIN_MES_MAX - 1 : 0);
	return 0;
}

int spin_ctx__me_ct(struct spin_ctx *ctx, unsigned me, struct spin_ct *out)
{
	const struct spin_ct *ct;
	int err = check_entry(ctx, me);

	if (err)
		return err;
	ct = &ctx->host.entry[me].ct;
	out->success = __atomic_load_n(&ct->success, __ATOMIC_RELAXED);
	out->failure = __atomic_load_n(&ct->failure, __ATOMIC_RELAXED);
	return 0;
}

int spin_ctx__me_set_ct(struct spin_ctx *ctx, unsigned me, struct spin_ct ct)
{
	struct spin_ct *to;
	int err = check_entry(ctx, me);

	if (err)
		return err;
	to = &ctx->host.entry[me].ct;
	__atomic_store_n(&to->success, ct.success, __ATOMIC_RELAXED);
	__atomic_store_n(&to->failure, ct.failure, __ATOMIC_RELAXED);
	return 0;
}
