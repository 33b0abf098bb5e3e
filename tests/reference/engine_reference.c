/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Gives the reference (reference.h), a plain-C model of the message protocol, the interface of an engine, that is of an execution of
 * handlers, so that vectors and comparisons run on it as on any other. Used by compare.c, traffic.c, vector.c and tests/messages. It knows
 * only the handlers of msg_script.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/conformance/event.h"

#include "tests/reference/engine_reference.h"
#include "tests/reference/frame.h"
#include "tests/reference/script.h"
#include "tests/reference/state.h"

struct impl {
	struct reference_state symbol; /* `state` */
	struct reference reference;
	struct script_state state;
	struct reference_packet packet;
};

struct reference *engine_reference(struct engine *e)
{
	return &((struct impl *)e->impl)->reference;
}

static void copy_events(const struct reference *r, struct engine_events *out)
{
	unsigned keep = r->events < ENGINE_EVENTS_MAX ? r->events : ENGINE_EVENTS_MAX;

	out->count = r->events;
	memcpy(out->event, r->event, keep * sizeof(*r->event));
}

static int packet(struct engine *e, const uint8_t *frame, uint32_t bytes, struct engine_out *out)
{
	struct impl *i = e->impl;
	struct reference_packet *p = &i->packet;
	struct reference_out result;
	struct frame_flow flow;
	const uint8_t *payload;
	uint32_t payload_bytes;

	if (!frame_parse(frame, bytes, &flow, &payload, &payload_bytes))
		return engine_fail(-EINVAL, "the reference takes plain UDP frames only");
	memset(&p->key, 0, sizeof(p->key));
	p->key.ip_version = flow.ip_version;
	memcpy(p->key.src_addr, flow.src, sizeof(flow.src));
	p->key.src_port = flow.src_port;
	p->dst_port = flow.dst_port;
	p->frame_bytes = bytes;
	reference_packet(&i->reference, p, payload, payload_bytes, &result);
	out->reason = result.reason;
	out->verdict = result.acknowledged ? SPIN_VERDICT_TX : SPIN_VERDICT_DROP;
	out->frame_bytes = 0;
	if (result.acknowledged) {
		memcpy(out->frame, frame, bytes);
		out->frame_bytes = frame_acknowledge(out->frame, result.reason == SPIN_REASON_BEYOND_ENTRY ? 0x0800
								 : result.reason == SPIN_REASON_NO_MPQ     ? 0x0400
													   : 0);
	}
	copy_events(&i->reference, &out->events);
	events_first_error(&out->events, &out->event, &out->event_handler);
	return 0;
}

static uint64_t count(struct engine *e, enum spin_reason reason)
{
	return engine_reference(e)->reasons[reason];
}

static int set_clock(struct engine *e, uint32_t now_ms, struct engine_events *out)
{
	reference_clock(engine_reference(e), now_ms);
	copy_events(engine_reference(e), out);
	return 0;
}

static int reset(struct engine *e)
{
	reference_reset(engine_reference(e));
	return 0;
}

static int host_read(struct engine *e, size_t offset, void *to, size_t bytes)
{
	memcpy(to, engine_reference(e)->host + offset, bytes);
	return 0;
}

static int host_write(struct engine *e, size_t offset, const void *from, size_t bytes)
{
	memcpy(engine_reference(e)->host + offset, from, bytes);
	return 0;
}

static int me_append(struct engine *e, const struct spin_me_opts *opts, unsigned *me)
{
	int err = reference_me_append(engine_reference(e), opts, me);

	return err ? engine_fail(err, "the reference cannot post this entry") : 0;
}

static int me_unlink(struct engine *e, unsigned me)
{
	int err = reference_me_unlink(engine_reference(e), me);

	return err ? engine_fail(err, "the reference cannot unlink entry %u", me) : 0;
}

static int me_get(struct engine *e, unsigned me, struct spin_me *out)
{
	*out = engine_reference(e)->me[me];
	return 0;
}

static int stats(struct engine *e, struct spin_message_stats *out)
{
	*out = engine_reference(e)->stats;
	return 0;
}

static void close_engine(struct engine *e)
{
	struct impl *i = e->impl;

	reference_stop(&i->reference);
	free(i);
}

static const struct engine_ops ops = {
	.name = "reference",
	.close = close_engine,
	.packet = packet,
	.read = reference_state_read,
	.write = reference_state_write,
	.count = count,
	.clock = set_clock,
	.reset = reset,
	.host_read = host_read,
	.host_write = host_write,
	.me_append = me_append,
	.me_unlink = me_unlink,
	.me_get = me_get,
	.stats = stats,
};

int engine_reference_open(const struct engine_handler *handler, const struct engine_context *context, enum reference_rule breaks,
			  struct engine **out)
{
	struct engine *e = calloc(1, sizeof(*e));
	struct impl *i = calloc(1, sizeof(*i));
	struct reference_handlers handlers;

	if (!e || !i)
		reference_die("no memory");
	e->ops = &ops;
	e->impl = i;
	i->symbol = (struct reference_state){ .at = &i->state, .bytes = sizeof(i->state) };
	if (script_handlers(handler->name, &i->state, &handlers)) {
		free(i);
		free(e);
		return engine_fail(-ENOENT, "the reference does not know what %s does", handler->name);
	}
	reference_start(&i->reference, &context->message, &handlers);
	i->reference.breaks = breaks;
	*out = e;
	return 0;
}
