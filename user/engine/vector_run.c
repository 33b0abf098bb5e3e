/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Runs a vector on an engine, up to the first packet that is not as expected. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libspin/libspin.h"

#include "event.h"
#include "vector.h"

static int edit(const struct types *t, struct image *image, const struct vector_edits *edits)
{
	for (unsigned i = 0; i < edits->count; i++) {
		const struct vector_edit *e = &edits->edit[i];
		const struct layout_variable *var;
		const char *path = e->text;
		char name[64];
		int err;

		if (!e->table && layout__split(e->text, name, sizeof(name), &path))
			return engine_fail(-EINVAL, "%s", spin_strerror_last());
		var = types_find(t, e->table ? e->table : name);
		if (!var)
			return engine_fail(-ENOENT, "no state or table '%s'", e->table ? e->table : name);
		err = e->table ? layout__insert(t->btf, var, image->bytes[var - t->var], e->text) :
				 layout__set(t->btf, var, image->bytes[var - t->var], path);
		if (err)
			return engine_fail(err, "%s", spin_strerror_last());
	}
	return 0;
}

static void add_verdict(struct differences *d, const struct engine_out *got, enum spin_verdict verdict,
			enum spin_reason reason)
{
	char a[128], b[128];

	if (got->verdict == verdict && got->reason == reason)
		return;
	snprintf(a, sizeof(a), "%s %s (%s)", spin_verdict_name(got->verdict), spin_reason_name(got->reason),
		 spin_reason_text(got->reason));
	snprintf(b, sizeof(b), "%s %s (%s)", spin_verdict_name(verdict), spin_reason_name(reason),
		 spin_reason_text(reason));
	differences_add(d, "verdict", a, b);
}

static void add_event(struct differences *d, const struct engine_out *got, const struct vector_step *step)
{
	char a[EVENT_TEXT_MAX], b[EVENT_TEXT_MAX];

	if (got->event == step->event && (!step->event || got->event_handler == step->event_handler))
		return;
	event_text(got->event, got->event_handler, a);
	event_text(step->event, step->event_handler, b);
	differences_add(d, "event", a, b);
}

/* What a packet came to against what is expected of it. */
static void compare(const struct vector_step *step, const struct types *t, enum vector_flip flip,
		    struct vector_result *r)
{
	enum spin_verdict verdict = flip == FLIP_VERDICT ? (step->verdict + 1) % 3 : step->verdict;
	uint8_t expected[ENGINE_FRAME_MAX];

	if (step->out_bytes)
		memcpy(expected, step->out, step->out_bytes);
	/* a different place each time: by the frame's length */
	if (flip == FLIP_FRAME)
		expected[step->in_bytes * 7 % step->out_bytes] ^= 0x10;
	if (flip == FLIP_STATE)
		r->want.bytes[step->in_bytes % t->count][0] ^= 0x10;
	add_verdict(&r->differences, &r->out, verdict, step->reason);
	add_event(&r->differences, &r->out, step);
	if (r->uncounted)
		differences_add(&r->differences, "counter of the reason", "not up by one", "up by one");
	if (step->verdict != SPIN_VERDICT_DROP && r->out.verdict != SPIN_VERDICT_DROP)
		differences_frame(&r->differences, expected, step->out_bytes, r->out.frame, r->out.frame_bytes);
	differences_memory(&r->differences, t, &r->want, &r->got);
}

static int run_step(const struct vector_step *step, const struct types *t, struct engine *e,
		    enum vector_flip flip, struct vector_result *r)
{
	uint64_t count[SPIN_REASON_COUNT];
	int err = edit(t, &r->want, &step->before);

	for (int i = 0; i < SPIN_REASON_COUNT; i++)
		count[i] = e->ops->count(e, (enum spin_reason)i);
	if (!err && step->before.count)
		err = image_write(t, &r->want, e);
	if (!err)
		err = e->ops->packet(e, step->in, step->in_bytes, &r->out);
	if (!err)
		err = edit(t, &r->want, &step->after);
	if (!err)
		err = image_read(t, &r->got, e);
	if (err)
		return err;
	r->uncounted = e->ops->count(e, r->out.reason) != count[r->out.reason] + 1;
	compare(step, t, flip, r);
	return r->differences.count || r->differences.left_out;
}

int vector_can_flip(const struct vector *v, enum vector_flip flip)
{
	return flip != FLIP_FRAME || v->step[v->count - 1].out_bytes;
}

void vector_run(const struct vector *v, const struct types *t, struct engine *e, const struct image *initial,
		enum vector_flip flip, struct vector_result *r)
{
	*r = (struct vector_result){ 0 };
	r->rc = image_alloc(t, &r->want);
	if (!r->rc)
		r->rc = image_alloc(t, &r->got);
	if (!r->rc) {
		image_copy(t, &r->want, initial);
		r->rc = image_write(t, initial, e);
	}
	for (unsigned i = 0; i < v->count && !r->rc; i++) {
		r->step = i;
		r->rc = run_step(&v->step[i], t, e, i + 1 == v->count ? flip : FLIP_NONE, r);
	}
	if (r->rc < 0)
		snprintf(r->why, sizeof(r->why), "%s:%u: %s", v->path, v->step[r->step].line, engine_why());
}

void vector_result_free(struct vector_result *r)
{
	image_free(&r->want);
	image_free(&r->got);
	differences_free(&r->differences);
}
