/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Runs a vector on an engine, up to the first step that is not as expected. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/conformance/vector.h"
#include "user/conformance/vector_apply.h"
#include "user/conformance/vector_compare.h"

static int give(const struct vector_step *step, struct engine *e, struct vector_result *r)
{
	if (step->kind == STEP_PACKET)
		return e->ops->packet(e, step->in, step->in_bytes, &r->out);
	r->out.events.count = 0;
	return e->ops->clock(e, step->now_ms, &r->out.events);
}

static void count_all(struct engine *e, uint64_t *count)
{
	for (int i = 0; i < SPIN_REASON_COUNT; i++)
		count[i] = e->ops->count(e, (enum spin_reason)i);
}

/* A packet moves its reason's counter, and no other; a step in time moves none. */
static int miscounted(const struct vector_step *step, struct engine *e, const struct engine_out *out, uint64_t *before)
{
	uint64_t now[SPIN_REASON_COUNT];

	count_all(e, now);
	if (step->kind == STEP_PACKET)
		before[out->reason]++;
	return memcmp(before, now, sizeof(now)) != 0;
}

static int run_step(const struct vector_step *step, const struct types *t, struct engine *e, enum vector_flip flip, struct vector_result *r)
{
	uint64_t count[SPIN_REASON_COUNT];
	int err = vector_make(&step->before, t, e, &r->want, &r->want_host);

	count_all(e, count);
	if (!err)
		err = give(step, e, r);
	if (!err)
		err = vector_expect(&step->after, t, &r->want, &r->want_host);
	if (!err)
		err = image_read(t, &r->got, e);
	if (!err && t->host_memory)
		err = host_image_read(&r->got_host, e);
	if (!err)
		err = e->ops->sends(e, r->sends);
	if (err)
		return err;
	r->uncounted = miscounted(step, e, &r->out, count);
	vector_compare(step, t, flip, r);
	return r->differences.count || r->differences.left_out;
}

/* Datagrams leave nothing behind but in memory. */
static int clear_host(struct engine *e, const struct host_image *zero)
{
	int err = e->ops->host_write(e, 0, zero->memory, zero->bytes);

	for (unsigned i = 0; i < zero->counters && !err; i++)
		err = e->ops->set_ct(e, i, &(struct spin_ct){ 0 });
	return err;
}

static int start_host(const struct vector *v, const struct types *t, struct engine *e, struct vector_result *r)
{
	size_t bytes = v->context.message.host_bytes;
	int err = host_image_alloc(t, &r->want_host, bytes);

	if (!err)
		err = host_image_alloc(t, &r->got_host, bytes);
	if (!err)
		err = t->messages ? e->ops->reset(e) : clear_host(e, &r->want_host);
	if (err || !t->messages || v->context.message.no_entry)
		return err;
	r->want_host.me[0] = (struct spin_me){ .state = SPIN_ME_OPEN, .ignore_bits = UINT64_MAX, .length = (uint32_t)bytes };
	r->want_host.posted = 1;
	return 0;
}

static int start(const struct vector *v, const struct types *t, struct engine *e, const struct image *initial, struct vector_result *r)
{
	int err = image_alloc(t, &r->want);

	if (!err)
		err = image_alloc(t, &r->got);
	if (!err && v->of_messages && !t->messages)
		err = engine_fail(-EINVAL, "the handler takes no messages (SPIN_DELIVER_ME), the vector has them");
	if (!err && v->of_host_memory && !t->host_memory)
		err = engine_fail(-EINVAL, "the handler has no host memory, the vector says how much");
	if (!err && t->host_memory)
		err = start_host(v, t, e, r);
	r->sends = malloc(sizeof(*r->sends));
	if (!err && !r->sends)
		err = engine_fail(-ENOMEM, "no memory");
	if (err)
		return err;
	image_copy(t, &r->want, initial);
	return image_write(t, initial, e);
}

void vector_run(const struct vector *v, const struct types *t, struct engine *e, const struct image *initial, enum vector_flip flip,
		struct vector_result *r)
{
	*r = (struct vector_result){ 0 };
	r->rc = start(v, t, e, initial, r);
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
	host_image_free(&r->want_host);
	host_image_free(&r->got_host);
	differences_free(&r->differences);
	free(r->sends);
}
