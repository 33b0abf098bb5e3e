/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the kernel's engine does for contexts of messages; host memory, events and what handlers send, of both kinds. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "user/libspin/messages.h"
#include "user/libspin/requests.h"

#include "user/conformance/bpf.h"

static void take_event(void *arg, const struct spin_event *event)
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
	int taken;

	out->count = 0;
	do {
		taken = spin_ctx__events(b->ctx, take_event, out);
		if (taken < 0)
			return engine_fail(taken, "%s", spin_strerror_last());
	} while (taken);
	return 0;
}

/* The ring's record ends with the frame. */
static int take_request(void *arg, const struct spin_request *request)
{
	const uint32_t frame = request->type != SPIN_REQUEST_PUT ? request->bytes : 0;
	struct engine_sends *to = arg;

	if (to && to->count < ENGINE_SENDS_MAX)
		memcpy(&to->send[to->count], request, offsetof(struct spin_request, frame) + frame);
	if (to)
		to->count++;
	return 0;
}

/* 0, or the error with libspin's reason. */
static int told(int err)
{
	return err ? engine_fail(err, "%s", spin_strerror_last()) : 0;
}

int bpf_message__ct(struct engine *e, unsigned me, struct spin_ct *out)
{
	struct bpf *b = e->impl;

	return told(spin_ctx__me_ct(b->ctx, me, out));
}

int bpf_message__set_ct(struct engine *e, unsigned me, const struct spin_ct *ct)
{
	struct bpf *b = e->impl;

	return told(spin_ctx__me_set_ct(b->ctx, me, *ct));
}

int bpf_sends(const struct bpf *b, struct engine_sends *out)
{
	if (out)
		out->count = 0;
	return told(spin_ctx__requests(b->ctx, take_request, out));
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
	return err ? told(err) : bpf_events(b, out);
}

int bpf_message__reset(struct engine *e)
{
	struct bpf *b = e->impl;

	return b->messages ? told(spin_messages__reset(b->ctx)) : engine_fail(-EOPNOTSUPP, "%s takes datagrams", spin_ctx__name(b->ctx));
}

static int host_at(struct engine *e, size_t offset, size_t bytes, uint8_t **at)
{
	struct bpf *b = e->impl;
	size_t have;
	void *base;
	int err = spin_ctx__host_memory(b->ctx, &base, &have);

	if (err)
		return told(err);
	if (offset > have || bytes > have - offset)
		return engine_fail(-ERANGE, "the host memory has %zu bytes", have);
	*at = (uint8_t *)base + offset;
	return 0;
}

int bpf_message__host_read(struct engine *e, size_t offset, void *to, size_t bytes)
{
	uint8_t *at = NULL;
	int err = host_at(e, offset, bytes, &at);

	if (!err)
		memcpy(to, at, bytes);
	return err;
}

int bpf_message__host_write(struct engine *e, size_t offset, const void *from, size_t bytes)
{
	uint8_t *at = NULL;
	int err = host_at(e, offset, bytes, &at);

	if (!err)
		memcpy(at, from, bytes);
	return err;
}

int bpf_message__me_append(struct engine *e, const struct spin_me_opts *opts, unsigned *me)
{
	struct bpf *b = e->impl;

	return told(spin_ctx__me_append(b->ctx, opts, me));
}

int bpf_message__me_unlink(struct engine *e, unsigned me)
{
	struct bpf *b = e->impl;

	return told(spin_ctx__me_unlink(b->ctx, me));
}

int bpf_message__me_get(struct engine *e, unsigned me, struct spin_me *out)
{
	struct bpf *b = e->impl;

	return told(spin_ctx__me_get(b->ctx, me, out));
}

int bpf_message__stats(struct engine *e, struct spin_message_stats *out)
{
	struct bpf *b = e->impl;

	return told(spin_ctx__message_stats(b->ctx, out));
}
