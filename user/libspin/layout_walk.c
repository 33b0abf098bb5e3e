/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/libspin/internal.h"
#include "user/libspin/layout_type.h"

#define PATH_BYTES 256
#define DEPTH_MAX  16

struct walk {
	const struct btf *btf;
	int zero_too;
	int (*fn)(void *arg, const struct spin_field *field);
	void *arg;
	char path[PATH_BYTES];
};

static int visit(struct walk *w, uint32_t id, const char *mem, size_t bytes, unsigned depth);

static int is_zero(const char *mem, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (mem[i])
			return 0;
	return 1;
}

static int visit_scalar(struct walk *w, const struct layout_type *type, const char *mem)
{
	struct spin_field field = { .path = w->path, .bytes = type->bytes };

	field.value = layout_type__load(mem, type->bytes);
	if (!field.value && !w->zero_too)
		return 0;
	if (type->network_order)
		field.value = type->bytes == 2 ? ntohs((uint16_t)field.value) : ntohl((uint32_t)field.value);
	return w->fn(w->arg, &field);
}

static int visit_members(struct walk *w, const struct layout_type *type, const char *mem, size_t bytes, unsigned depth)
{
	const struct btf_member *m = btf_members(type->t);
	size_t length = strlen(w->path);
	int rc = 0;

	for (unsigned i = 0; i < btf_vlen(type->t) && !rc; i++, m++) {
		const char *name = btf__name_by_offset(w->btf, m->name_off);
		size_t at = btf_member_bit_offset(type->t, i) / 8;

		if (btf_member_bitfield_size(type->t, i) || at > bytes)
			continue;
		if (name && *name && !layout_type__is_wrapper(type))
			snprintf(w->path + length, sizeof(w->path) - length, ".%s", name);
		rc = visit(w, m->type, mem + at, bytes - at, depth + 1);
		w->path[length] = '\0';
	}
	return rc;
}

static int visit(struct walk *w, uint32_t id, const char *mem, size_t bytes, unsigned depth)
{
	size_t length = strlen(w->path);
	struct layout_type type;
	int rc = layout_type__resolve(w->btf, id, &type);

	if (rc)
		return rc;
	if (type.bytes > bytes || depth > DEPTH_MAX)
		return spin_fail(-EINVAL, "the object's type information is damaged; compile it again with spincc");
	if (layout_type__is_scalar(&type))
		return visit_scalar(w, &type, mem);
	if (btf_is_composite(type.t))
		return visit_members(w, &type, mem, type.bytes, depth);
	if (!btf_is_array(type.t) || !btf_array(type.t)->nelems)
		return 0;
	for (uint32_t i = 0; i < btf_array(type.t)->nelems && !rc; i++) {
		size_t step = type.bytes / btf_array(type.t)->nelems;

		if (!w->zero_too && is_zero(mem + i * step, step))
			continue;
		snprintf(w->path + length, sizeof(w->path) - length, "[%u]", i);
		rc = visit(w, btf_array(type.t)->type, mem + i * step, step, depth + 1);
		w->path[length] = '\0';
	}
	return rc;
}

int layout__walk(const struct btf *btf, const struct layout_variable *var, const void *mem, int zero_too,
		 int (*fn)(void *arg, const struct spin_field *field), void *arg)
{
	struct walk w = { .btf = btf, .zero_too = zero_too, .fn = fn, .arg = arg };
	void *value = NULL;
	int rc;

	if (var->copies > 1) {
		value = malloc(var->bytes);
		if (!value)
			return spin_fail(-ENOMEM, "no memory");
		layout__merge(var, mem, value);
	}
	snprintf(w.path, sizeof(w.path), "%s", var->name);
	rc = visit(&w, var->type, value ? value : mem, var->bytes, 0);
	free(value);
	return rc;
}
