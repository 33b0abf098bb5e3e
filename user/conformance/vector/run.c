/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs a vector (a test as text: packets in, expected results out) on an engine (one way to execute a handler), up to the first step with
 * an unexpected result. Called by comparison.c. The expected memory (want) always has what the vector's lines up to the current step say.
 */
#include <errno.h>
#include <spin/libspin.h>
#include <stdlib.h>
#include <string.h>

#include "user/conformance/vector/apply.h"
#include "user/conformance/vector/compare.h"
#include "user/conformance/vector/vector.h"

#define NS_PER_MS 1000000u

/* Runs the packet, or sets the time of a clock step. */
static int run_input(const struct vector_step *step, const struct types *t, struct engine *e, struct vector_result *r)
{
	int err;

	if (step->kind == STEP_PACKET)
		return e->ops->packet(e, step->in, step->in_bytes, &r->out);
	r->out.events.count = 0;
	err = e->ops->set_time(e, step->now_ns);
	return err || !t->messages ? err : e->ops->clock(e, (uint32_t)(step->now_ns / NS_PER_MS), &r->out.events);
}

static void count_all(struct engine *e, uint64_t *count)
{
	for (int i = 0; i < SPIN_REASON_COUNT; i++)
		count[i] = e->ops->count(e, (enum spin_reason)i);
}

/* Returns 1 unless a packet incremented exactly the counter of its reason, and a clock step no counter. */
static int miscounted(const struct vector_step *step, struct engine *e, const struct engine_out *out, uint64_t *before)
{
	uint64_t now[SPIN_REASON_COUNT];

	count_all(e, now);
	if (step->kind == STEP_PACKET)
		before[out->reason]++;
	return memcmp(before, now, sizeof(now)) != 0;
}

/* Runs one packet, or whatever the step's input is, and compares the results. Returns 1 if they differ, or a negative errno. */
static int run_step(const struct vector_step *step, const struct types *t, struct engine *e, enum vector_mutation mutation,
		    struct vector_result *r)
{
	uint64_t count[SPIN_REASON_COUNT];
	int err = vector_apply(&step->before, t, e, &r->want, &r->want_host);

	count_all(e, count);
	if (!err)
		err = run_input(step, t, e, r);
	if (!err)
		err = vector_apply_expected(&step->after, t, &r->want, &r->want_host);
	if (!err)
		err = image_read(t, &r->got, e);
	if (!err && t->host_memory)
		err = host_image_read(&r->got_host, e);
	if (!err)
		err = e->ops->sends(e, r->sends);
	if (err)
		return err;
	r->uncounted = miscounted(step, e, &r->out, count);
	vector_compare(step, t, mutation, r);
	return r->differences.count || r->differences.left_out;
}

/* Clears host memory and counters of a context of datagrams, which has no other state on the host. */
static int clear_host(struct engine *e, const struct host_image *zero)
{
	int err = e->ops->host_write(e, 0, zero->memory, zero->bytes);

	for (unsigned i = 0; i < zero->counters && !err; i++)
		err = e->ops->set_ct(e, i, &(struct spin_ct){ 0 });
	return err;
}

static int init_host(const struct vector *v, const struct types *t, struct engine *e, struct vector_result *r)
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

static int init_run(const struct vector *v, const struct types *t, struct engine *e, const struct image *initial, struct vector_result *r)
{
	int err = image_alloc(t, &r->want);

	if (!err)
		err = image_alloc(t, &r->got);
	if (!err && v->of_messages && !t->messages)
		err = engine_fail(-EINVAL, "the handler takes no messages (SPIN_DELIVER_ME), the vector has them");
	if (!err && v->of_host_memory && !t->host_memory)
		err = engine_fail(-EINVAL, "the handler has no host memory, the vector says how much");
	if (!err && t->segments)
		err = e->ops->reset(e);
	if (!err && t->host_memory)
		err = init_host(v, t, e, r);
	r->sends = malloc(sizeof(*r->sends));
	if (!err && !r->sends)
		err = engine_fail(-ENOMEM, "no memory");
	if (err)
		return err;
	err = e->ops->set_time(e, 0);
	if (!err)
		err = e->ops->set_draw(e, 0);
	if (err)
		return err;
	image_copy(t, &r->want, initial);
	return image_write(t, initial, e);
}

void vector_run(const struct vector *v, const struct types *t, struct engine *e, const struct image *initial, enum vector_mutation mutation,
		struct vector_result *r)
{
	*r = (struct vector_result){ 0 };
	r->rc = init_run(v, t, e, initial, r);
	for (unsigned i = 0; i < v->count && !r->rc; i++) {
		r->step = i;
		r->rc = run_step(&v->step[i], t, e, i + 1 == v->count ? mutation : MUTATE_NONE, r);
	}
	if (r->rc < 0)
		snprintf(r->reason, sizeof(r->reason), "%s:%u: %s", v->path, v->step[r->step].line, engine_error());
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

static int set_field(const struct vector_change *c, const struct types *t, struct image *image)
{
	const struct layout_variable *var;
	const char *path = c->text;
	char name[64];
	int err;

	if (!c->table && layout__split(c->text, name, sizeof(name), &path))
		return engine_fail(-EINVAL, "%s", spin_strerror_last());
	var = types_find(t, c->table ? c->table : name);
	if (!var)
		return engine_fail(-ENOENT, "no state or table '%s'", c->table ? c->table : name);
	err = c->table ? layout__insert(t->btf, var, image->bytes[var - t->var], c->text)
		       : layout__set(t->btf, var, image->bytes[var - t->var], path);
	return err ? engine_fail(err, "%s", spin_strerror_last()) : 0;
}

static int store_host(const struct vector_change *c, struct host_image *host)
{
	if (c->offset > host->bytes || c->count > host->bytes - c->offset)
		return engine_fail(-ERANGE, "host memory has %zu bytes: write `host BYTES` for more", host->bytes);
	memcpy(host->memory + c->offset, c->bytes, c->count);
	return 0;
}

static int post_me(const struct vector_change *c, struct engine *e, struct host_image *host)
{
	struct spin_me_opts opts = c->post;
	unsigned want = c->me, me;
	int err;

	for (unsigned i = 0; i < SPIN_MES_MAX && want == SPIN_MES_MAX; i++)
		if (host->me[i].state == SPIN_ME_FREE)
			want = i;
	opts.handler_mem = c->segment;
	err = e->ops->me_append(e, &opts, &me);
	if (err)
		return err;
	if (me != want)
		return engine_fail(-EPROTO, "the entry posted has the index %u, not %u", me, want);
	host->me[me] = (struct spin_me){ .state = SPIN_ME_OPEN,
					 .options = c->post.options,
					 .match_bits = c->post.match_bits,
					 .ignore_bits = c->post.ignore_bits,
					 .start = c->post.start,
					 .serial = host->posted++,
					 .min_free = c->post.min_free };
	spin_me_from(&host->me[me], &c->post.source);
	host->ct[me] = (struct spin_ct){ 0 };
	host->me[me].length = c->post.length ? c->post.length : (uint32_t)host->bytes - c->post.start;
	return 0;
}

static int unlink_me(const struct vector_change *c, struct engine *e, struct host_image *host)
{
	int err = e->ops->me_unlink(e, c->me);

	if (c->busy && err != -EBUSY)
		return engine_fail(-EPROTO, "entry %u is not busy", c->me);
	if (!c->busy && !err)
		host->me[c->me].state = SPIN_ME_FREE;
	return c->busy ? 0 : err;
}

/* Returns 0 if the handlers have the memory or entry that the change concerns, else an error. */
static int check_change(const struct vector_change *c, const struct types *t, const struct host_image *host)
{
	if (c->kind == CHANGE_HOST && !t->host_memory)
		return engine_fail(-EINVAL, "the handler has no host memory");
	if (c->kind == CHANGE_CT && c->me >= host->counters)
		return engine_fail(-EINVAL, "the handler reaches no counter of entry %u", c->me);
	if (c->kind != CHANGE_HOST && c->kind != CHANGE_CT && !t->messages)
		return engine_fail(-EINVAL, "the handler takes no messages: it has no entries");
	return 0;
}

/* Applies a change to the engine and to what is expected of it. Fields are written later, all at once (vector_apply()). */
static int apply_change(const struct vector_change *c, const struct types *t, struct engine *e, struct image *want, struct host_image *host)
{
	int err;

	if (c->kind == CHANGE_FIELD || c->kind == CHANGE_ENTRY)
		return set_field(c, t, want);
	if (c->kind == CHANGE_SEED)
		return e->ops->set_draw(e, c->seed);
	err = check_change(c, t, host);
	if (err)
		return err;
	if (c->kind == CHANGE_POST)
		return post_me(c, e, host);
	if (c->kind == CHANGE_UNLINK)
		return unlink_me(c, e, host);
	if (c->kind == CHANGE_CT) {
		host->ct[c->me] = c->ct;
		return e->ops->set_ct(e, c->me, &c->ct);
	}
	err = store_host(c, host);
	return err ? err : e->ops->host_write(e, c->offset, c->bytes, c->count);
}

int vector_apply(const struct vector_changes *changes, const struct types *t, struct engine *e, struct image *want, struct host_image *host)
{
	int err = 0, edited = 0;

	for (unsigned i = 0; i < changes->count && !err; i++) {
		err = apply_change(&changes->list[i], t, e, want, host);
		edited |= changes->list[i].kind == CHANGE_FIELD || changes->list[i].kind == CHANGE_ENTRY;
	}
	return !err && edited ? image_write(t, want, e) : err;
}

/* Applies a change that the handlers are expected to make. */
static int apply_expected(const struct vector_change *c, const struct types *t, struct image *want, struct host_image *host)
{
	int err;

	if (c->kind == CHANGE_FIELD || c->kind == CHANGE_ENTRY)
		return set_field(c, t, want);
	err = check_change(c, t, host);
	if (err)
		return err;
	if (c->kind == CHANGE_HOST)
		return store_host(c, host);
	if (c->kind == CHANGE_CT) {
		host->ct[c->me] = c->ct;
		return 0;
	}
	host->me[c->me].state = c->state;
	if (c->counted) {
		host->me[c->me].messages = c->messages;
		host->me[c->me].bytes = c->me_bytes;
	}
	if (c->used_given)
		host->me[c->me].used = c->used;
	return 0;
}

int vector_apply_expected(const struct vector_changes *changes, const struct types *t, struct image *want, struct host_image *host)
{
	int err = 0;

	for (unsigned i = 0; i < changes->count && !err; i++)
		err = apply_expected(&changes->list[i], t, want, host);
	return err;
}
