/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One way to execute handlers under test ("engine"): runs their BPF program in the kernel by BPF_PROG_TEST_RUN. Called through engine.c.
 * Trusted handlers run behind an interface's dispatcher (the XDP program that tail-calls them), as they do live; isolated ones (loaded
 * without CAP_PERFMON) run by themselves. engine_swap_loading() swaps the two. Invariant: a packet increments exactly one counter, which
 * tells its reason (what became of it and why).
 */
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/conformance/bpf.h"
#include "user/conformance/event.h"
#include "user/libspin/messages/messages.h"
#include "user/libspin/requests/requests.h"

/* Binds the process to its first CPU and returns it, since all engines are compared on a single HPU, number 0. */
static int pin_to_cpu(void)
{
	cpu_set_t set, one;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -errno;
	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one) ? -errno : cpu;
}

static int loading_swapped;

void engine_swap_loading(void)
{
	loading_swapped = 1;
}

/* Loads the handler in this class. Trusted ones run by a dispatcher without an interface, isolated ones by themselves (or swapped). */
static int open_class(struct engine *e, const struct engine_handler *handler, const struct engine_context *context, enum spin_class class)
{
	/* test runs deliver packets on receive queue 0 on every CPU, and SPIN_HPUS_QUEUE makes that HPU 0 */
	struct spin_ctx_opts opts = {
		.bytes = sizeof(opts), .class = class, .message = context->message, .hpus = SPIN_HPUS_QUEUE, .hpu_count = 1, .put_id = 1
	};
	struct bpf *b = calloc(1, sizeof(*b));
	int err, cpu;

	if (!b)
		return engine_fail(-ENOMEM, "no memory");
	e->impl = b;
	if (geteuid())
		return engine_fail(-EPERM, "running handlers in the kernel needs root");
	err = spin_object__open(handler->object, &b->object);
	if (!err && spin_object__meta(b->object)->registration.delivery == SPIN_DELIVER_ME)
		b->messages = 1;
	if (!err && spin_object__meta(b->object)->registration.delivery == SPIN_DELIVER_SEGMENTS)
		b->segments = 1;
	opts.message.virtual_clock = 1;
	if (b->messages && !opts.message.window) /* same as the other engines; libspin's default depends on the size of host memory */
		opts.message.window = SPIN_WINDOW;
	if (!err && (class == SPIN_CLASS_TRUSTED) != loading_swapped)
		err = spin_nic__open_offline(&b->nic);
	if (!err)
		err = spin_ctx__create_opts(b->nic, b->object, &context->rule, &opts, &b->ctx);
	if (!err && b->nic)
		err = spin_ctx__attach(b->ctx);
	if (err)
		return engine_fail(err == -EPERM ? -EACCES : err, "%s", spin_strerror_last());
	cpu = pin_to_cpu();
	if (cpu < 0)
		return engine_fail(cpu, "cannot stay on one CPU: %s", strerror(-cpu));
	return 0;
}

static int bpf_open(struct engine *e, const struct engine_handler *handler, const struct engine_context *context)
{
	return open_class(e, handler, context, SPIN_CLASS_TRUSTED);
}

static int isolated_open(struct engine *e, const struct engine_handler *handler, const struct engine_context *context)
{
	return open_class(e, handler, context, SPIN_CLASS_ISOLATED);
}

static void bpf_close(struct engine *e)
{
	struct bpf *b = e->impl;

	if (!b)
		return;
	spin_ctx__destroy(b->ctx);
	spin_nic__close(b->nic);
	spin_object__close(b->object);
	free(b);
}

/* Adds the context's counters and the interface's counters of packets without a context. */
static void read_counters(const struct bpf *b, uint64_t *packets)
{
	uint64_t others[SPIN_REASON_COUNT];

	spin_ctx__counters(b->ctx, packets);
	if (!b->nic)
		return;
	spin_nic__counters(b->nic, others);
	for (unsigned i = 0; i < SPIN_REASON_COUNT; i++)
		packets[i] += others[i];
}

/* Finds the packet's reason: the one counter that it incremented. */
static int find_reason(struct bpf *b, enum spin_reason *out)
{
	uint64_t packets[SPIN_REASON_COUNT];
	unsigned incremented = 0;

	read_counters(b, packets);
	for (unsigned i = 0; i < SPIN_REASON_COUNT; i++) {
		uint64_t now = packets[i];

		if (now == b->seen[i])
			continue;
		incremented += now - b->seen[i] == 1 ? 1 : 2;
		b->seen[i] = now;
		*out = (enum spin_reason)i;
	}
	return incremented == 1 ? 0 : engine_fail(-EPROTO, "a packet moved %u counters, not one", incremented);
}

static unsigned count_errors(const struct engine_events *events)
{
	unsigned errors = 0;

	for (unsigned i = 0; i < events->count && i < ENGINE_EVENTS_MAX; i++)
		errors += event_is_error(events->event[i].type) != 0;
	return errors;
}

static int bpf_packet(struct engine *e, const uint8_t *frame, uint32_t bytes, struct engine_out *out)
{
	struct bpf *b = e->impl;
	struct spin_run_result result;
	int err = bpf_sends(b, NULL);

	if (err)
		return err;
	err = b->nic ? spin_nic__run(b->nic, frame, bytes, 1, out->frame, sizeof(out->frame), &result)
		     : spin_ctx__run(b->ctx, frame, bytes, 1, out->frame, sizeof(out->frame), &result);
	if (err)
		return engine_fail(err, "%s", spin_strerror_last());
	err = find_reason(b, &out->reason);
	if (err)
		return err;
	out->verdict = result.verdict;
	out->frame_bytes = result.verdict == SPIN_VERDICT_DROP ? 0 : (uint32_t)result.frame_bytes;
	err = bpf_events(b, &out->events);
	if (err)
		return err;
	if (b->messages)
		spin_messages__note_used(b->ctx);
	else if (count_errors(&out->events) > 1)
		return engine_fail(-EPROTO, "%u errors for one packet", count_errors(&out->events));
	events_first_error(&out->events, &out->event, &out->event_handler);
	return 0;
}

static int bpf_address(struct engine *e, const char *name, size_t offset, size_t bytes, uint8_t **at)
{
	struct bpf *b = e->impl;
	size_t have;
	void *base;
	int err = spin_ctx__symbol(b->ctx, name, &base, &have);

	if (err)
		return engine_fail(err, "%s", spin_strerror_last());
	if (offset > have || bytes > have - offset)
		return engine_fail(-ERANGE, "%s has %zu bytes", name, have);
	*at = (uint8_t *)base + offset;
	return 0;
}

static int bpf_read(struct engine *e, const char *name, size_t offset, void *to, size_t bytes)
{
	uint8_t *at = NULL;
	int err = bpf_address(e, name, offset, bytes, &at);

	if (!err)
		memcpy(to, at, bytes);
	return err;
}

static int bpf_write(struct engine *e, const char *name, size_t offset, const void *from, size_t bytes)
{
	uint8_t *at = NULL;
	int err = bpf_address(e, name, offset, bytes, &at);

	if (!err)
		memcpy(at, from, bytes);
	return err;
}

static uint64_t bpf_count(struct engine *e, enum spin_reason reason)
{
	struct bpf *b = e->impl;
	uint64_t packets[SPIN_REASON_COUNT];

	read_counters(b, packets);
	return packets[reason];
}

/* *at: the virtual time and random draw of the handlers; NULL if they use neither. */
static int bpf_virtual(struct engine *e, struct spin_virtual **at)
{
	struct bpf *b = e->impl;
	void *found = NULL;
	size_t bytes;
	int err = spin_ctx__symbol(b->ctx, "spin_virtual", &found, &bytes);

	*at = found;
	if (err && err != -ENOENT)
		return engine_fail(err, "%s", spin_strerror_last());
	return 0;
}

static int bpf_set_time(struct engine *e, uint64_t now_ns)
{
	struct spin_virtual *at;
	int err = bpf_virtual(e, &at);

	if (at)
		at->now_ns = now_ns;
	return err;
}

static int bpf_set_draw(struct engine *e, uint32_t draw)
{
	struct spin_virtual *at;
	int err = bpf_virtual(e, &at);

	if (at)
		at->draw = draw;
	return err;
}

const struct engine_ops engine_bpf = {
	.name = "bpf",
	.open = bpf_open,
	.close = bpf_close,
	.packet = bpf_packet,
	.read = bpf_read,
	.write = bpf_write,
	.count = bpf_count,
	.set_time = bpf_set_time,
	.set_draw = bpf_set_draw,
	.clock = bpf_message__clock,
	.reset = bpf_message__reset,
	.host_read = bpf_message__host_read,
	.host_write = bpf_message__host_write,
	.me_append = bpf_message__me_append,
	.me_unlink = bpf_message__me_unlink,
	.me_get = bpf_message__me_get,
	.stats = bpf_message__stats,
	.sends = bpf_message__sends,
	.ct = bpf_message__ct,
	.set_ct = bpf_message__set_ct,
};

const struct engine_ops engine_isolated = {
	.name = "isolated",
	.open = isolated_open,
	.close = bpf_close,
	.packet = bpf_packet,
	.read = bpf_read,
	.write = bpf_write,
	.count = bpf_count,
	.set_time = bpf_set_time,
	.set_draw = bpf_set_draw,
	.clock = bpf_message__clock,
	.reset = bpf_message__reset,
	.host_read = bpf_message__host_read,
	.host_write = bpf_message__host_write,
	.me_append = bpf_message__me_append,
	.me_unlink = bpf_message__me_unlink,
	.me_get = bpf_message__me_get,
	.stats = bpf_message__stats,
	.sends = bpf_message__sends,
	.ct = bpf_message__ct,
	.set_ct = bpf_message__set_ct,
};

/* --- contexts of messages; and for all contexts host memory, events and sends --- */

static void add_event(void *arg, const struct spin_event *event)
{
	struct engine_events *to = arg;

	if (to->count < ENGINE_EVENTS_MAX) {
		to->event[to->count] = *event;
		to->event[to->count].hpu = 0;
	}
	to->count++;
}

int bpf_events(const struct bpf *b, struct engine_events *out)
{
	int count;

	out->count = 0;
	do {
		count = spin_ctx__events(b->ctx, add_event, out);
		if (count < 0)
			return engine_fail(count, "%s", spin_strerror_last());
	} while (count);
	return 0;
}

/* Adds a request. The record in the ring ends with its frame, so it may be shorter than the struct. */
static int add_request(void *arg, const struct spin_request *request)
{
	const uint32_t frame = request->type != SPIN_REQUEST_PUT ? request->bytes : 0;
	struct engine_sends *to = arg;

	if (to && to->count < ENGINE_SENDS_MAX)
		memcpy(&to->send[to->count], request, offsetof(struct spin_request, frame) + frame);
	if (to)
		to->count++;
	return 0;
}

/* Returns err. If it is not 0, engine_error() then has libspin's reason. */
static int as_engine_error(int err)
{
	return err ? engine_fail(err, "%s", spin_strerror_last()) : 0;
}

int bpf_message__ct(struct engine *e, unsigned me, struct spin_ct *out)
{
	struct bpf *b = e->impl;

	return as_engine_error(spin_ctx__me_ct(b->ctx, me, out));
}

int bpf_message__set_ct(struct engine *e, unsigned me, const struct spin_ct *ct)
{
	struct bpf *b = e->impl;

	return as_engine_error(spin_ctx__me_set_ct(b->ctx, me, *ct));
}

int bpf_sends(const struct bpf *b, struct engine_sends *out)
{
	if (out)
		out->count = 0;
	return as_engine_error(spin_ctx__requests(b->ctx, add_request, out));
}

int bpf_message__sends(struct engine *e, struct engine_sends *out)
{
	return bpf_sends(e->impl, out);
}

int bpf_message__clock(struct engine *e, uint32_t now_ms, struct engine_events *out)
{
	struct bpf *b = e->impl;
	int err = bpf_sends(b, NULL);

	if (err)
		return err;
	err = spin_ctx__set_clock(b->ctx, now_ms);
	if (!err)
		err = spin_ctx__progress(b->ctx);
	return err ? as_engine_error(err) : bpf_events(b, out);
}

/* Clears the program's connections, as at its start. No other CPU runs it. */
static int clear_connections(struct bpf *b)
{
	static const char *const tables[] = { "spin_connections", "spin_connection_tags" };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		size_t bytes;
		void *at;

		if (spin_ctx__symbol(b->ctx, tables[i], &at, &bytes))
			return as_engine_error(-ENOENT);
		memset(at, 0, bytes);
	}
	return 0;
}

int bpf_message__reset(struct engine *e)
{
	struct bpf *b = e->impl;

	if (b->segments)
		return clear_connections(b);
	return b->messages ? as_engine_error(spin_messages__reset(b->ctx))
			   : engine_fail(-EOPNOTSUPP, "%s takes datagrams", spin_ctx__name(b->ctx));
}

static int host_address(struct engine *e, size_t offset, size_t bytes, uint8_t **at)
{
	struct bpf *b = e->impl;
	size_t have;
	void *base;
	int err = spin_ctx__host_memory(b->ctx, &base, &have);

	if (err)
		return as_engine_error(err);
	if (offset > have || bytes > have - offset)
		return engine_fail(-ERANGE, "the host memory has %zu bytes", have);
	*at = (uint8_t *)base + offset;
	return 0;
}

int bpf_message__host_read(struct engine *e, size_t offset, void *to, size_t bytes)
{
	uint8_t *at = NULL;
	int err = host_address(e, offset, bytes, &at);

	if (!err)
		memcpy(to, at, bytes);
	return err;
}

int bpf_message__host_write(struct engine *e, size_t offset, const void *from, size_t bytes)
{
	uint8_t *at = NULL;
	int err = host_address(e, offset, bytes, &at);

	if (!err)
		memcpy(at, from, bytes);
	return err;
}

int bpf_message__me_append(struct engine *e, const struct spin_me_opts *opts, unsigned *me)
{
	struct bpf *b = e->impl;

	return as_engine_error(spin_ctx__me_append(b->ctx, opts, me));
}

int bpf_message__me_unlink(struct engine *e, unsigned me)
{
	struct bpf *b = e->impl;

	return as_engine_error(spin_ctx__me_unlink(b->ctx, me));
}

int bpf_message__me_get(struct engine *e, unsigned me, struct spin_me *out)
{
	struct bpf *b = e->impl;

	return as_engine_error(spin_ctx__me_get(b->ctx, me, out));
}

int bpf_message__stats(struct engine *e, struct spin_message_stats *out)
{
	struct bpf *b = e->impl;

	return as_engine_error(spin_ctx__message_stats(b->ctx, out));
}
