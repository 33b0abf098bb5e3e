/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The host build: a shared object made by `spincc --target host`. Each engine
 * loads a copy of its own, so that each has memory of its own.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libspin/libspin.h"

#include "engine.h"
#include "guard.h"

struct host {
	void *lib;
	int fd; /* open as long as the library: glibc knows libraries by name, too */
	int (*packet)(uint8_t *frame, uint32_t *frame_bytes);
	const struct spin_counters *counters;
	const uint32_t *event_count;
	const struct spin_event *event;
};

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

static void *symbol(struct host *h, const char *name, int *missing)
{
	void *at = dlsym(h->lib, name);

	if (!at)
		*missing = engine_fail(-ENOENT, "the host build exports no %s", name);
	return at;
}

static int host_open(struct engine *e, const struct engine_handler *handler, const struct engine_context *context)
{
	struct host *h = calloc(1, sizeof(*h));
	struct spin_config *config;
	int err = 0;

	if (!h)
		return engine_fail(-ENOMEM, "no memory");
	e->impl = h;
	h->fd = -1;
	if (!handler->host)
		return engine_fail(-ENODATA, "there is no host build of %s", handler->name);
	if (load_copy(h, handler->host) < 0) {
		const char *why = access(handler->host, R_OK) ? NULL : dlerror();

		return engine_fail(-ENOENT, "cannot load %s: %s", handler->host, why ? why : strerror(ENOENT));
	}
	*(void **)&h->packet = symbol(h, "spin_host_packet", &err);
	h->counters = symbol(h, "spin_counters", &err);
	h->event_count = symbol(h, "spin_host_event_count", &err);
	h->event = symbol(h, "spin_host_event", &err);
	config = symbol(h, "spin_host_config", &err);
	if (err)
		return err;
	config->rule = context->rule;
	config->accept_partial = 1;
	return 0;
}

static void host_close(struct engine *e)
{
	struct host *h = e->impl;

	if (!h)
		return;
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
};

static void run_packet(void *arg)
{
	struct call *c = arg;

	c->reason = c->host->packet(c->out->frame, &c->out->frame_bytes);
}

static int host_packet(struct engine *e, const uint8_t *frame, uint32_t bytes, struct engine_out *out)
{
	struct host *h = e->impl;
	struct call call = { .host = h, .out = out };
	uint32_t events = *h->event_count;
	int reason, err;

	if (bytes > sizeof(out->frame))
		return engine_fail(-EINVAL, "frame of %u bytes", bytes);
	memcpy(out->frame, frame, bytes);
	out->frame_bytes = bytes;
	err = guard__call(run_packet, &call);
	if (err)
		return err;
	reason = call.reason;
	if (reason < 0 || reason >= SPIN_REASON_COUNT)
		return engine_fail(-EPROTO, "the host build gave reason %d", reason);
	out->reason = (enum spin_reason)reason;
	out->verdict = spin_reason_verdict(out->reason);
	if (out->verdict == SPIN_VERDICT_DROP)
		out->frame_bytes = 0;
	out->event = out->event_handler = 0;
	if (*h->event_count - events > 1)
		return engine_fail(-EPROTO, "%u events for one packet", *h->event_count - events);
	if (*h->event_count != events) {
		out->event = h->event->type;
		out->event_handler = h->event->handler;
	}
	return 0;
}

static int host_at(struct engine *e, const char *name, size_t offset, uint8_t **at)
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
	int err = host_at(e, name, offset, &at);

	if (!err)
		memcpy(to, at, bytes);
	return err;
}

static int host_write(struct engine *e, const char *name, size_t offset, const void *from, size_t bytes)
{
	uint8_t *at = NULL;
	int err = host_at(e, name, offset, &at);

	if (!err)
		memcpy(at, from, bytes);
	return err;
}

static uint64_t host_count(struct engine *e, enum spin_reason reason)
{
	struct host *h = e->impl;

	return h->counters[0].packets[reason];
}

const struct engine_ops engine_host = {
	.name = "host",
	.open = host_open,
	.close = host_close,
	.packet = host_packet,
	.read = host_read,
	.write = host_write,
	.count = host_count,
};
