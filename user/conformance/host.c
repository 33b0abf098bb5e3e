/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One way to execute handlers under test ("engine"): their host build, a shared object made by `spincc --target host`, is loaded by
 * dlopen() and called directly. Called through engine.c. Each engine loads its own copy of the file, so that engines do not share memory.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spin/libspin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bpf/abi/mpq.h"
#include "user/conformance/engine.h"
#include "user/conformance/event.h"
#include "user/conformance/guard.h"
#include "user/conformance/host.h"

static int load_copy(struct host *h, const char *path)
{
	int from = open(path, O_RDONLY | O_CLOEXEC), to = memfd_create("spin_host", MFD_CLOEXEC);
	char copy[64];
	struct stat st;
	int ok = from >= 0 && to >= 0 && !fstat(from, &st) && sendfile(to, from, NULL, (size_t)st.st_size) == st.st_size;

	if (ok) {
		snprintf(copy, sizeof(copy), "/proc/self/fd/%d", to);
		h->lib = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
	}
	if (from >= 0)
		close(from);
	h->fd = to;
	return h->lib ? 0 : -1;
}

void *host__symbol(const struct host *h, const char *name, int *missing)
{
	void *at = dlsym(h->lib, name);

	if (!at)
		*missing = engine_fail(-ENOENT, "the host build exports no %s", name);
	return at;
}

static int host_open(struct engine *e, const struct engine_handler *handler, const struct engine_context *context)
{
	struct host *h = calloc(1, sizeof(*h));
	int err = 0;

	if (!h)
		return engine_fail(-ENOMEM, "no memory");
	e->impl = h;
	h->fd = -1;
	if (!handler->host)
		return engine_fail(-ENODATA, "there is no host build of %s", handler->name);
	if (load_copy(h, handler->host) < 0) {
		const char *error = access(handler->host, R_OK) ? NULL : dlerror();

		return engine_fail(-ENOENT, "cannot load %s: %s", handler->host, error ? error : strerror(ENOENT));
	}
	*(void **)&h->packet = host__symbol(h, "spin_host_packet", &err);
	h->counters = host__symbol(h, "spin_counters", &err);
	h->event_count = host__symbol(h, "spin_host_event_count", &err);
	h->event = host__symbol(h, "spin_host_events", &err);
	h->config = host__symbol(h, "spin_config", &err);
	h->request_count = host__symbol(h, "spin_host_request_count", &err);
	h->request = host__symbol(h, "spin_host_requests", &err);
	h->of_handlers = host__symbol(h, "spin_virtual", &err);
	if (err)
		return err;
	h->config->rule = context->rule;
	h->config->accept_partial = 1;
	h->config->put_id = h->config->hpus = 1;
	return host_message__open(h, &context->message);
}

static void host_close(struct engine *e)
{
	struct host *h = e->impl;

	if (!h)
		return;
	free(h->memory);
	free(h->wide);
	if (h->lib)
		dlclose(h->lib);
	if (h->fd >= 0)
		close(h->fd);
	free(h);
}

struct call {
	const struct host *host;
	struct engine_out *out;
	int reason;
	uint32_t verdict;
};

static void run_packet(void *arg)
{
	struct call *c = arg;

	c->reason = c->host->packet(c->out->frame, &c->out->frame_bytes, &c->verdict);
}

static int host_packet(struct engine *e, const uint8_t *frame, uint32_t bytes, struct engine_out *out)
{
	struct host *h = e->impl;
	struct call call = { .host = h, .out = out };
	int reason, err;

	if (bytes > sizeof(out->frame))
		return engine_fail(-EINVAL, "frame of %u bytes", bytes);
	memcpy(out->frame, frame, bytes);
	out->frame_bytes = bytes;
	*h->event_count = *h->request_count = 0;
	err = guard__call(run_packet, &call);
	if (err)
		return err;
	reason = call.reason;
	if (reason < 0 || reason >= SPIN_REASON_COUNT)
		return engine_fail(-EPROTO, "the host build gave reason %d", reason);
	out->reason = (enum spin_reason)reason;
	out->verdict = (enum spin_verdict)call.verdict;
	if (out->verdict == SPIN_VERDICT_DROP)
		out->frame_bytes = 0;
	host_message__events(h, &out->events);
	events_first_error(&out->events, &out->event, &out->event_handler);
	return 0;
}

static int host_address(struct engine *e, const char *name, size_t offset, uint8_t **at)
{
	struct host *h = e->impl;
	uint8_t *base = dlsym(h->lib, name);

	if (!base)
		return engine_fail(-ENOENT, "the host build has no %s", name);
	*at = base + offset;
	return 0;
}

static int host_read(struct engine *e, const char *name, size_t offset, void *to, size_t bytes)
{
	uint8_t *at = NULL;
	int err = host_address(e, name, offset, &at);

	if (!err)
		memcpy(to, at, bytes);
	return err;
}

static int host_write(struct engine *e, const char *name, size_t offset, const void *from, size_t bytes)
{
	uint8_t *at = NULL;
	int err = host_address(e, name, offset, &at);

	if (!err)
		memcpy(at, from, bytes);
	return err;
}

static uint64_t host_count(struct engine *e, enum spin_reason reason)
{
	struct host *h = e->impl;

	return h->counters[0].packets[reason];
}

static int host_set_time(struct engine *e, uint64_t now_ns)
{
	struct host *h = e->impl;

	h->of_handlers->now_ns = now_ns;
	return 0;
}

static int host_set_draw(struct engine *e, uint32_t draw)
{
	struct host *h = e->impl;

	h->of_handlers->draw = draw;
	return 0;
}

static int host_sends(struct engine *e, struct engine_sends *out)
{
	const struct host *h = e->impl;

	out->count = *h->request_count;
	for (unsigned i = 0; i < out->count && i < ENGINE_SENDS_MAX; i++)
		out->send[i] = h->request[i];
	return 0;
}

const struct engine_ops engine_host = {
	.name = "host",
	.open = host_open,
	.close = host_close,
	.packet = host_packet,
	.read = host_read,
	.write = host_write,
	.count = host_count,
	.set_time = host_set_time,
	.set_draw = host_set_draw,
	.clock = host_message__clock,
	.reset = host_message__reset,
	.host_read = host_memory__read,
	.host_write = host_memory__write,
	.me_append = host_message__me_append,
	.me_unlink = host_message__me_unlink,
	.me_get = host_message__me_get,
	.stats = host_message__stats,
	.sends = host_sends,
	.ct = host_memory__ct,
	.set_ct = host_memory__set_ct,
};

/* --- host memory of the host build, and the segments and counters of matching entries --- */

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

static int check_range(const struct host *h, size_t offset, size_t bytes)
{
	size_t have = h->config->host_bytes;

	return offset > have || bytes > have - offset ? engine_fail(-ERANGE, "the host memory has %zu bytes", have) : 0;
}

int host_memory__read(struct engine *e, size_t offset, void *to, size_t bytes)
{
	const struct host *h = e->impl;
	int err = check_range(h, offset, bytes);

	if (!err)
		memcpy(to, h->memory + offset, bytes);
	return err;
}

int host_memory__write(struct engine *e, size_t offset, const void *from, size_t bytes)
{
	const struct host *h = e->impl;
	int err = check_range(h, offset, bytes);

	if (!err)
		memcpy(h->memory + offset, from, bytes);
	return err;
}

static int find_counter(const struct host *h, unsigned me, struct spin_ct **out)
{
	if (me >= (h->mes ? SPIN_MES_MAX : 1))
		return engine_fail(-ENOENT, "the handlers reach no counter of entry %u", me);
	*out = &h->me_memory[me].ct;
	return 0;
}

int host_memory__ct(struct engine *e, unsigned me, struct spin_ct *out)
{
	struct spin_ct *ct = NULL;
	int err = find_counter(e->impl, me, &ct);

	if (!err)
		*out = *ct;
	return err;
}

int host_memory__set_ct(struct engine *e, unsigned me, const struct spin_ct *from)
{
	struct spin_ct *ct = NULL;
	int err = find_counter(e->impl, me, &ct);

	if (!err)
		*ct = *from;
	return err;
}
