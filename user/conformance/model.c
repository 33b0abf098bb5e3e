/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One way to execute handlers under test ("engine"): boots their rv32 program on the timed model of the NIC and runs packets on it. Called
 * through engine.c. Options are translated to the model's limits; 0 is the default in both.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <hwmodel/pspin.h>
#include <spin/libspin.h>

#include "user/conformance/engine.h"
#include "user/conformance/event.h"

struct model {
	struct spin_object *object;
	struct pspin *nic;
	unsigned send_count; /* results of the last packet or clock step; the model owns the arrays */
	const struct spin_request *sends;
};

/* Translates options to the model's limits. In both, 0 is the default. */
static int set_limits(struct model *m, const struct spin_message_opts *opts)
{
	struct pspin_limits limits = {
		.mpqs = opts->messages,
		.parking = opts->parking,
		.host_bytes = (uint32_t)opts->host_bytes,
		.window = opts->window,
		.idle_ms = opts->idle_ms,
		.age_ms = opts->age_ms,
		.tombstone_ms = opts->tombstone_ms,
		.take_put = opts->put,
		.no_entry = opts->no_entry,
		.report_runs = opts->report_runs,
		.handler_mem = opts->handler_mem,
		.handler_segments = opts->handler_segments,
	};
	int err = opts->host_bytes > SPIN_HOST_BYTES_MAX ? -EINVAL : pspin__limit(m->nic, &limits);

	if (err == -ENOMEM)
		return engine_fail(err, "no memory");
	if (err == -EOPNOTSUPP)
		return engine_fail(err, "these handlers take datagrams");
	return err ? engine_fail(err, "the model has no room for so many messages, bytes or segments") : 0;
}

/* Stores the number of HPUs in the image. Only handlers that use it have the variable. */
static int set_hpus(struct model *m)
{
	const uint32_t hpus = 1;
	uint32_t at;

	return pspin__symbol(m->nic, "spin_hpus_", &at, NULL) ? 0 : pspin__write(m->nic, at, &hpus, sizeof(hpus));
}

static int model_open(struct engine *e, const struct engine_handler *handler, const struct engine_context *context)
{
	struct model *m = calloc(1, sizeof(*m));
	const struct pspin_target *target = pspin_target__find("pspin-rtl");
	const struct spin_meta *meta;
	char reason[512] = "";
	const void *image;
	size_t bytes;
	int err;

	if (!m)
		return engine_fail(-ENOMEM, "no memory");
	e->impl = m;
	err = spin_object__open(handler->object, &m->object);
	if (err)
		return engine_fail(err, "%s", spin_strerror_last());
	image = spin_object__image(m->object, &bytes);
	if (!image)
		return engine_fail(-ENODATA, "%s has no rv32 image: make it with spincc", handler->object);
	meta = spin_object__meta(m->object);
	err = pspin__open(&m->nic, target, meta, image, bytes, &context->rule, reason, sizeof(reason));
	if (err)
		return engine_fail(err, "%s", reason);
	pspin__set_time(m->nic, 0);
	err = set_hpus(m);
	return err ? engine_fail(err, "the model cannot be told of its HPUs") : set_limits(m, &context->message);
}

static void model_close(struct engine *e)
{
	struct model *m = e->impl;

	if (!m)
		return;
	if (m->nic)
		pspin__close(m->nic);
	spin_object__close(m->object);
	free(m);
}

static void store_sends(struct model *m, const struct pspin_result *result)
{
	m->send_count = result->send_count;
	m->sends = result->sends;
}

static void copy_events(const struct pspin_result *result, struct engine_events *out)
{
	out->count = result->event_count;
	for (unsigned i = 0; i < result->event_count && i < ENGINE_EVENTS_MAX; i++)
		out->event[i] = result->events[i];
}

static int model_packet(struct engine *e, const uint8_t *frame, uint32_t bytes, struct engine_out *out)
{
	struct model *m = e->impl;
	struct pspin_result result;
	int err = pspin__packet(m->nic, frame, bytes, &result);

	if (err)
		return err == -ENOMEM ? engine_fail(err, "no memory, or a handler sends or reports without end")
				      : engine_fail(err, "the model refuses a frame of %u bytes", bytes);
	store_sends(m, &result);
	if (result.frame_bytes > sizeof(out->frame))
		return engine_fail(-EPROTO, "%zu bytes come out of the model", result.frame_bytes);
	out->verdict = result.verdict;
	out->reason = result.reason;
	copy_events(&result, &out->events);
	events_first_error(&out->events, &out->event, &out->event_handler);
	out->frame_bytes = result.verdict == SPIN_VERDICT_DROP ? 0 : (uint32_t)result.frame_bytes;
	if (out->frame_bytes)
		memcpy(out->frame, result.frame, out->frame_bytes);
	return 0;
}

static int model_address(struct engine *e, const char *name, size_t offset, size_t bytes, uint32_t *at)
{
	struct model *m = e->impl;
	uint32_t have;
	int err = pspin__symbol(m->nic, name, at, &have);

	if (err)
		return engine_fail(err, "the image has no %s", name);
	if (offset > have || bytes > have - offset)
		return engine_fail(-ERANGE, "%s has %u bytes on the HPU", name, have);
	*at += (uint32_t)offset;
	return 0;
}

static int model_read(struct engine *e, const char *name, size_t offset, void *to, size_t bytes)
{
	struct model *m = e->impl;
	uint32_t at;
	int err = model_address(e, name, offset, bytes, &at);

	if (!err)
		err = pspin__read(m->nic, at, to, bytes);
	return err ? engine_fail(err, "the model cannot read %s", name) : 0;
}

static int model_write(struct engine *e, const char *name, size_t offset, const void *from, size_t bytes)
{
	struct model *m = e->impl;
	uint32_t at;
	int err = model_address(e, name, offset, bytes, &at);

	if (!err)
		err = pspin__write(m->nic, at, from, bytes);
	return err ? engine_fail(err, "the model cannot write %s", name) : 0;
}

static uint64_t model_count(struct engine *e, enum spin_reason reason)
{
	struct model *m = e->impl;

	return pspin__count(m->nic, reason);
}

/* Returns err. If it is not 0, engine_error() then names what the model refused. */
static int as_engine_error(int err, const char *what)
{
	if (err == -EOPNOTSUPP)
		return engine_fail(err, "%s: this context takes datagrams", what);
	return err ? engine_fail(err, "the model refuses: %s", what) : 0;
}

static int model_clock(struct engine *e, uint32_t now_ms, struct engine_events *out)
{
	struct model *m = e->impl;
	struct pspin_result result;
	int err = pspin__clock(m->nic, now_ms, &result);

	if (!err) {
		store_sends(m, &result);
		copy_events(&result, out);
	}
	return as_engine_error(err, "a time that is over, or messages");
}

static int model_set_time(struct engine *e, uint64_t now_ns)
{
	struct model *m = e->impl;

	pspin__set_time(m->nic, now_ns);
	return 0;
}

static int model_set_draw(struct engine *e, uint32_t draw)
{
	struct model *m = e->impl;

	pspin__set_random(m->nic, draw);
	return 0;
}

static int model_reset(struct engine *e)
{
	struct model *m = e->impl;

	return as_engine_error(pspin__reset(m->nic), "messages, or connections");
}

static int model_host_read(struct engine *e, size_t offset, void *to, size_t bytes)
{
	struct model *m = e->impl;

	return as_engine_error(pspin__host_read(m->nic, offset, to, bytes), "bytes of host memory");
}

static int model_host_write(struct engine *e, size_t offset, const void *from, size_t bytes)
{
	struct model *m = e->impl;

	return as_engine_error(pspin__host_write(m->nic, offset, from, bytes), "bytes of host memory");
}

/* Length 0: to the end of the host memory, as in libspin. */
static int model_me_append(struct engine *e, const struct spin_me_opts *opts, unsigned *me)
{
	struct model *m = e->impl;
	struct spin_me entry = { .match_bits = opts->match_bits,
				 .ignore_bits = opts->ignore_bits,
				 .start = opts->start,
				 .length = opts->length,
				 .options = opts->options,
				 .min_free = opts->min_free };

	spin_me_from(&entry, &opts->source);
	if (!entry.length && pspin__host_bytes(m->nic) > entry.start)
		entry.length = (uint32_t)pspin__host_bytes(m->nic) - entry.start;
	return as_engine_error(pspin__me_append(m->nic, &entry, opts->handler_mem, opts->handler_segments, me), "a matching entry");
}

static int model_me_unlink(struct engine *e, unsigned me)
{
	struct model *m = e->impl;

	return as_engine_error(pspin__me_unlink(m->nic, me), "a matching entry");
}

static int model_me_get(struct engine *e, unsigned me, struct spin_me *out)
{
	struct model *m = e->impl;

	return as_engine_error(pspin__me_get(m->nic, me, out), "a matching entry");
}

static int model_stats(struct engine *e, struct spin_message_stats *out)
{
	struct model *m = e->impl;

	return as_engine_error(pspin__message_stats(m->nic, out), "messages");
}

static int model_sends(struct engine *e, struct engine_sends *out)
{
	const struct model *m = e->impl;

	out->count = m->send_count;
	for (unsigned i = 0; i < m->send_count && i < ENGINE_SENDS_MAX; i++)
		out->send[i] = m->sends[i];
	return 0;
}

static int model_ct(struct engine *e, unsigned me, struct spin_ct *out)
{
	struct model *m = e->impl;

	return as_engine_error(pspin__ct(m->nic, me, out), "an entry's counter");
}

static int model_set_ct(struct engine *e, unsigned me, const struct spin_ct *ct)
{
	struct model *m = e->impl;

	return as_engine_error(pspin__set_ct(m->nic, me, ct), "an entry's counter");
}

const struct engine_ops engine_model = {
	.name = "model",
	.has_values = 1,
	.open = model_open,
	.close = model_close,
	.packet = model_packet,
	.read = model_read,
	.write = model_write,
	.count = model_count,
	.set_time = model_set_time,
	.set_draw = model_set_draw,
	.clock = model_clock,
	.reset = model_reset,
	.host_read = model_host_read,
	.host_write = model_host_write,
	.me_append = model_me_append,
	.me_unlink = model_me_unlink,
	.me_get = model_me_get,
	.stats = model_stats,
	.sends = model_sends,
	.ct = model_ct,
	.set_ct = model_set_ct,
};
