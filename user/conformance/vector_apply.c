/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <string.h>

#include <spin/libspin.h>

#include "user/conformance/vector_apply.h"

static int edit(const struct vector_change *c, const struct types *t, struct image *image)
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

static int store(const struct vector_change *c, struct host_image *host)
{
	if (c->offset > host->bytes || c->count > host->bytes - c->offset)
		return engine_fail(-ERANGE, "host memory has %zu bytes: write `host BYTES` for more", host->bytes);
	memcpy(host->memory + c->offset, c->bytes, c->count);
	return 0;
}

static int post(const struct vector_change *c, struct engine *e, struct host_image *host)
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

/* Is it of something that these handlers have? */
static int check(const struct vector_change *c, const struct types *t, const struct host_image *host)
{
	if (c->kind == CHANGE_HOST && !t->host_memory)
		return engine_fail(-EINVAL, "the handler has no host memory");
	if (c->kind == CHANGE_CT && c->me >= host->counters)
		return engine_fail(-EINVAL, "the handler reaches no counter of entry %u", c->me);
	if (c->kind != CHANGE_HOST && c->kind != CHANGE_CT && !t->messages)
		return engine_fail(-EINVAL, "the handler takes no messages: it has no entries");
	return 0;
}

static int make(const struct vector_change *c, const struct types *t, struct engine *e, struct image *want, struct host_image *host)
{
	int err;

	if (c->kind == CHANGE_FIELD || c->kind == CHANGE_ENTRY)
		return edit(c, t, want);
	err = check(c, t, host);
	if (err)
		return err;
	if (c->kind == CHANGE_POST)
		return post(c, e, host);
	if (c->kind == CHANGE_UNLINK)
		return unlink_me(c, e, host);
	if (c->kind == CHANGE_CT) {
		host->ct[c->me] = c->ct;
		return e->ops->set_ct(e, c->me, &c->ct);
	}
	err = store(c, host);
	return err ? err : e->ops->host_write(e, c->offset, c->bytes, c->count);
}

int vector_make(const struct vector_changes *changes, const struct types *t, struct engine *e, struct image *want, struct host_image *host)
{
	int err = 0, edited = 0;

	for (unsigned i = 0; i < changes->count && !err; i++) {
		err = make(&changes->list[i], t, e, want, host);
		edited |= changes->list[i].kind == CHANGE_FIELD || changes->list[i].kind == CHANGE_ENTRY;
	}
	return !err && edited ? image_write(t, want, e) : err;
}

static int expect(const struct vector_change *c, const struct types *t, struct image *want, struct host_image *host)
{
	int err;

	if (c->kind == CHANGE_FIELD || c->kind == CHANGE_ENTRY)
		return edit(c, t, want);
	err = check(c, t, host);
	if (err)
		return err;
	if (c->kind == CHANGE_HOST)
		return store(c, host);
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

int vector_expect(const struct vector_changes *changes, const struct types *t, struct image *want, struct host_image *host)
{
	int err = 0;

	for (unsigned i = 0; i < changes->count && !err; i++)
		err = expect(&changes->list[i], t, want, host);
	return err;
}
