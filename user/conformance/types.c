/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads the names and types of a handler's state and tables from its object, and copies that memory from and to engines (ways to execute a
 * handler: kernel, host build, model) as an image. Called by tests, vectors, spinctl replay and engine_cache.c. An image has the same
 * layout for all engines.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/btf.h>

#include <spin/libspin.h>

#include "user/conformance/types.h"

static int discard_log(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

static int read_delivery(const char *path, struct types *out)
{
	struct spin_object *object;
	int err = spin_object__open(path, &object);

	if (err)
		return engine_fail(err, "%s", spin_strerror_last());
	out->messages = spin_object__meta(object)->registration.delivery == SPIN_DELIVER_ME;
	out->segments = spin_object__meta(object)->registration.delivery == SPIN_DELIVER_SEGMENTS;
	spin_object__close(object);
	return 0;
}

int types_open(const char *object, struct types *out)
{
	libbpf_print_fn_t print = libbpf_set_print(discard_log);
	int err = 0;

	*out = (struct types){ 0 };
	out->object = bpf_object__open_file(object, NULL);
	out->btf = out->object ? bpf_object__btf(out->object) : NULL;
	if (!out->btf)
		err = engine_fail(-EINVAL, "%s: no type information", object);
	libbpf_set_print(print);
	while (!err && out->count < ENGINE_SYMBOLS_MAX && !layout__nth(out->btf, out->count, &out->var[out->count])) {
		out->copies[out->count] = out->var[out->count].copies;
		out->var[out->count++].copies = 1;
	}
	if (!err && !out->count)
		err = engine_fail(-EINVAL, "%s: no state", object);
	if (!err)
		err = read_delivery(object, out);
	if (!err) {
		out->me_memory = btf__find_by_name_kind(out->btf, "spin_me_memory", BTF_KIND_VAR) > 0;
		out->host_memory = out->messages || out->me_memory;
	}
	if (err)
		types_close(out);
	return err;
}

void types_close(struct types *t)
{
	bpf_object__close(t->object);
	*t = (struct types){ 0 };
}

const struct layout_variable *types_find(const struct types *t, const char *name)
{
	for (unsigned i = 0; i < t->count; i++)
		if (!strcmp(t->var[i].name, name))
			return &t->var[i];
	return NULL;
}

int image_alloc(const struct types *t, struct image *out)
{
	*out = (struct image){ 0 };
	for (unsigned i = 0; i < t->count; i++) {
		out->bytes[i] = calloc(1, t->var[i].bytes);
		if (!out->bytes[i]) {
			image_free(out);
			return engine_fail(-ENOMEM, "no memory");
		}
	}
	return 0;
}

void image_free(struct image *image)
{
	for (unsigned i = 0; i < ENGINE_SYMBOLS_MAX; i++)
		free(image->bytes[i]);
	*image = (struct image){ 0 };
}

void image_copy(const struct types *t, struct image *to, const struct image *from)
{
	for (unsigned i = 0; i < t->count; i++)
		memcpy(to->bytes[i], from->bytes[i], t->var[i].bytes);
}

/* Describes a SPIN_PER_CLUSTER variable with all its copies, and allocates memory for them; the caller frees *all. */
static int alloc_copies(const struct types *t, unsigned i, struct layout_variable *var, void **all)
{
	*var = t->var[i];
	var->copies = t->copies[i];
	*all = calloc(var->copies, var->bytes);
	return *all ? 0 : engine_fail(-ENOMEM, "no memory");
}

static int read_copies(const struct types *t, unsigned i, void *to, struct engine *from)
{
	struct layout_variable var;
	void *all;
	int err = alloc_copies(t, i, &var, &all);

	if (!err)
		err = from->ops->read(from, var.name, 0, all, var.copies * var.bytes);
	if (!err)
		layout__merge(&var, all, to);
	free(all);
	return err;
}

static int write_copies(const struct types *t, unsigned i, const void *from, struct engine *to)
{
	struct layout_variable var;
	void *all;
	int err = alloc_copies(t, i, &var, &all);

	if (!err) {
		layout__assign(&var, from, all);
		err = to->ops->write(to, var.name, 0, all, var.copies * var.bytes);
	}
	free(all);
	return err;
}

int image_read(const struct types *t, struct image *to, struct engine *from)
{
	int err = 0;

	for (unsigned i = 0; i < t->count && !err; i++)
		err = t->copies[i] > 1 && !from->ops->has_values ? read_copies(t, i, to->bytes[i], from)
								 : from->ops->read(from, t->var[i].name, 0, to->bytes[i], t->var[i].bytes);
	return err;
}

int image_write(const struct types *t, const struct image *from, struct engine *to)
{
	int err = 0;

	for (unsigned i = 0; i < t->count && !err; i++)
		err = t->copies[i] > 1 && !to->ops->has_values ? write_copies(t, i, from->bytes[i], to)
							       : to->ops->write(to, t->var[i].name, 0, from->bytes[i], t->var[i].bytes);
	return err;
}

int host_image_alloc(const struct types *t, struct host_image *out, size_t bytes)
{
	*out = (struct host_image){ .bytes = bytes, .memory = calloc(1, bytes) };
	out->entries = t->messages ? SPIN_MES_MAX : 0;
	out->counters = !t->me_memory ? 0 : t->messages ? SPIN_MES_MAX : 1;
	return out->memory ? 0 : engine_fail(-ENOMEM, "no memory");
}

void host_image_free(struct host_image *image)
{
	free(image->memory);
	*image = (struct host_image){ 0 };
}

int host_image_read(struct host_image *to, struct engine *from)
{
	int err = from->ops->host_read(from, 0, to->memory, to->bytes);

	for (unsigned i = 0; i < to->entries && !err; i++)
		err = from->ops->me_get(from, i, &to->me[i]);
	for (unsigned i = 0; i < to->counters && !err; i++)
		err = from->ops->ct(from, i, &to->ct[i]);
	return err;
}

int image_differ(const struct types *t, const struct image *a, const struct image *b, unsigned *symbol, size_t *offset)
{
	for (unsigned i = 0; i < t->count; i++) {
		if (!memcmp(a->bytes[i], b->bytes[i], t->var[i].bytes))
			continue;
		for (size_t at = 0; at < t->var[i].bytes; at++) {
			if (a->bytes[i][at] == b->bytes[i][at])
				continue;
			*symbol = i;
			*offset = at;
			return 1;
		}
	}
	return 0;
}

struct path {
	char *text;
	size_t bytes;
};

static int copy_path(void *arg, const struct spin_field *field)
{
	struct path *path = arg;

	snprintf(path->text, path->bytes, "%s", field->path);
	return 1;
}

/* Finds the field that contains a byte by walking an image in which only this byte is not zero. */
void types_path(const struct types *t, unsigned symbol, size_t offset, char *path, size_t bytes)
{
	const struct layout_variable *var = &t->var[symbol];
	uint8_t *only = calloc(1, var->bytes);
	struct path found = { path, bytes };

	snprintf(path, bytes, "%s+%zu", var->name, offset);
	if (!only)
		return;
	only[offset] = 0xff;
	layout__walk(t->btf, var, only, 0, copy_path, &found);
	free(only);
}
