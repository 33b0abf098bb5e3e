/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The host build's host memory, and what handlers reach through an entry beside its own: segments and the counter. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/mpq.h"

#include "user/conformance/host.h"

int host_memory__segments(struct host *h, unsigned me, const struct spin_segment *segment, unsigned segments)
{
	const uint32_t have = h->config->host_bytes;
	struct spin_me_memory memory = { .segments = segments };

	if (segments > SPIN_SEGMENTS_MAX)
		return engine_fail(-EINVAL, "%u segments, at most %u", segments, SPIN_SEGMENTS_MAX);
	for (unsigned i = 0; i < segments; i++) {
		if (segment[i].start % 8 || segment[i].length % 8 || !segment[i].length || segment[i].start > have ||
		    segment[i].length > have - segment[i].start)
			return engine_fail(-EINVAL, "segment %u+%u: multiples of 8, not empty, inside the host memory of %u bytes",
					   segment[i].start, segment[i].length, have);
		memory.segment[i] = segment[i];
		memory.bytes += segment[i].length;
	}
	h->me_memory[me] = memory;
	return 0;
}

int host_memory__start(struct host *h)
{
	const struct spin_segment all = { 0, h->config->host_bytes & ~7u };

	memset(h->me_memory, 0, SPIN_MES_MAX * sizeof(*h->me_memory));
	if (h->first_segments)
		return host_memory__segments(h, 0, h->first_segment, h->first_segments);
	return h->mes ? 0 : host_memory__segments(h, 0, &all, 1);
}

int host_memory__open(struct host *h, const struct spin_message_opts *opts)
{
	struct spin_me_memory *(*me_memory)(void);
	uint8_t **memory;
	int err = 0;

	memory = host__symbol(h, "spin_host_memory_at", &err);
	*(void **)&me_memory = host__symbol(h, "spin_host_me_memory", &err);
	if (err)
		return err;
	h->me_memory = me_memory();
	if (opts->host_bytes > SPIN_HOST_BYTES_MAX || opts->handler_segments > SPIN_SEGMENTS_MAX)
		return engine_fail(-EINVAL, "more host memory or segments than a context can have");
	h->config->host_bytes = opts->host_bytes ? (uint32_t)opts->host_bytes : SPIN_HOST_BYTES;
	h->memory = calloc(1, h->config->host_bytes + SPIN_HOST_SLACK);
	if (!h->memory)
		return engine_fail(-ENOMEM, "no memory");
	*memory = h->memory;
	h->first_segments = opts->handler_segments;
	for (unsigned i = 0; i < h->first_segments; i++)
		h->first_segment[i] = opts->handler_mem[i];
	return host_memory__start(h);
}

static int range(const struct host *h, size_t offset, size_t bytes)
{
	size_t have = h->config->host_bytes;

	return offset > have || bytes > have - offset ? engine_fail(-ERANGE, "the host memory has %zu bytes", have) : 0;
}

int host_memory__read(struct engine *e, size_t offset, void *to, size_t bytes)
{
	const struct host *h = e->impl;
	int err = range(h, offset, bytes);

	if (!err)
		memcpy(to, h->memory + offset, bytes);
	return err;
}

int host_memory__write(struct engine *e, size_t offset, const void *from, size_t bytes)
{
	const struct host *h = e->impl;
	int err = range(h, offset, bytes);

	if (!err)
		memcpy(h->memory + offset, from, bytes);
	return err;
}

static int counter(const struct host *h, unsigned me, struct spin_ct **out)
{
	if (me >= (h->mes ? SPIN_MES_MAX : 1))
		return engine_fail(-ENOENT, "the handlers reach no counter of entry %u", me);
	*out = &h->me_memory[me].ct;
	return 0;
}

int host_memory__ct(struct engine *e, unsigned me, struct spin_ct *out)
{
	struct spin_ct *ct = NULL;
	int err = counter(e->impl, me, &ct);

	if (!err)
		*out = *ct;
	return err;
}

int host_memory__set_ct(struct engine *e, unsigned me, const struct spin_ct *from)
{
	struct spin_ct *ct = NULL;
	int err = counter(e->impl, me, &ct);

	if (!err)
		*ct = *from;
	return err;
}
