/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The model of the target NIC, booted from the fat object's rv32 image. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <hwmodel/pspin.h>
#include "libspin/libspin.h"

#include "engine.h"

struct model {
	struct spin_object *object;
	struct pspin *nic;
};

static int model_open(struct engine *e, const struct engine_handler *handler, const struct engine_context *context)
{
	struct model *m = calloc(1, sizeof(*m));
	const struct pspin_target *target = pspin_target__find("pspin-rtl");
	char sentence[512] = "";
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
	err = pspin__open(&m->nic, target, spin_object__meta(m->object), image, bytes, &context->rule, sentence,
			  sizeof(sentence));
	return err ? engine_fail(err, "%s", sentence) : 0;
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

/* An event tells which handler was the first to fail, and how. */
static void find_event(const struct pspin_result *result, struct engine_out *out)
{
	static const enum spin_event_type types[] = { SPIN_EVENT_FAIL, SPIN_EVENT_SEGV, SPIN_EVENT_BAD_RETURN };
	static const enum spin_handler_kind kinds[] = {
		[PSPIN_HEADER] = SPIN_KIND_HEADER,
		[PSPIN_PAYLOAD] = SPIN_KIND_PAYLOAD,
		[PSPIN_COMPLETION] = SPIN_KIND_COMPLETION,
	};

	for (unsigned i = 0; i < result->task_count; i++) {
		const struct pspin_task *task = &result->tasks[i];

		if (!task->error || task->kind == PSPIN_PROCEED)
			continue;
		/* what is no code of a handler is a trap: a failed access */
		out->event = task->error >= PSPIN_ERROR_FAIL && task->error <= PSPIN_ERROR_BAD_RETURN ?
			     types[task->error - PSPIN_ERROR_FAIL] : SPIN_EVENT_SEGV;
		out->event_handler = kinds[task->kind];
		return;
	}
}

static int model_packet(struct engine *e, const uint8_t *frame, uint32_t bytes, struct engine_out *out)
{
	struct model *m = e->impl;
	struct pspin_result result;
	int err = pspin__packet(m->nic, frame, bytes, &result);

	if (err)
		return engine_fail(err, "the model refuses a frame of %u bytes", bytes);
	if (result.frame_bytes > sizeof(out->frame))
		return engine_fail(-EPROTO, "%zu bytes come out of the model", result.frame_bytes);
	out->verdict = result.verdict;
	out->reason = result.reason;
	out->event = out->event_handler = 0;
	find_event(&result, out);
	out->frame_bytes = result.verdict == SPIN_VERDICT_DROP ? 0 : (uint32_t)result.frame_bytes;
	if (out->frame_bytes)
		memcpy(out->frame, result.frame, out->frame_bytes);
	return 0;
}

static int model_at(struct engine *e, const char *name, size_t offset, size_t bytes, uint32_t *at)
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
	int err = model_at(e, name, offset, bytes, &at);

	if (!err)
		err = pspin__read(m->nic, at, to, bytes);
	return err ? engine_fail(err, "the model cannot read %s", name) : 0;
}

static int model_write(struct engine *e, const char *name, size_t offset, const void *from, size_t bytes)
{
	struct model *m = e->impl;
	uint32_t at;
	int err = model_at(e, name, offset, bytes, &at);

	if (!err)
		err = pspin__write(m->nic, at, from, bytes);
	return err ? engine_fail(err, "the model cannot write %s", name) : 0;
}

static uint64_t model_count(struct engine *e, enum spin_reason reason)
{
	struct model *m = e->impl;

	return pspin__count(m->nic, reason);
}

const struct engine_ops engine_model = {
	.name = "model",
	.open = model_open,
	.close = model_close,
	.packet = model_packet,
	.read = model_read,
	.write = model_write,
	.count = model_count,
};
