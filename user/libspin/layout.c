/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/btf.h>

#include "user/libspin/internal.h"
#include "user/libspin/layout.h"
#include "user/libspin/layout_type.h"

static int is_data(const char *section)
{
	static const char *const names[] = { ".data", ".bss", ".rodata", ".data.me" };

	for (unsigned i = 0; section && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(section, names[i]))
			return 1;
	return 0;
}

/* SPIN_PER_CLUSTER of <spin/cluster.h>. */
static int is_of_clusters(const struct btf *btf, uint32_t var)
{
	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *tag = btf__type_by_id(btf, id);

		if (tag && btf_is_decl_tag(tag) && tag->type == var && btf_decl_tag(tag)->component_idx == -1 &&
		    !strcmp(btf__name_by_offset(btf, tag->name_off), "spin_cluster"))
			return 1;
	}
	return 0;
}

/* One copy's type and size in place of the array's of all of them. */
static void take_one(const struct btf *btf, uint32_t var, struct layout_variable *out)
{
	const struct btf_type *array = btf__type_by_id(btf, out->type);
	uint32_t copies;

	out->copies = 1;
	if (!array || !btf_is_array(array) || !is_of_clusters(btf, var))
		return;
	copies = btf_array(array)->nelems;
	if (!copies || out->bytes % copies || out->bytes / copies % 4)
		return;
	out->copies = copies;
	out->bytes /= copies;
	out->type = btf_array(array)->type;
}

/*
 * Calls accept for each variable of the data sections, in the order of the object, with its name and section; the first it
 * takes. Tags are looked for of that one alone: each search is one of all types.
 */
static int search(const struct btf *btf, int (*accept)(void *arg, const struct layout_variable *var), void *arg,
		  struct layout_variable *out)
{
	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *section = btf__type_by_id(btf, id);
		const struct btf_var_secinfo *info;
		const char *section_name;

		if (!section || !btf_is_datasec(section))
			continue;
		section_name = btf__name_by_offset(btf, section->name_off);
		if (!is_data(section_name))
			continue;
		info = btf_var_secinfos(section);
		for (unsigned i = 0; i < btf_vlen(section); i++, info++) {
			const struct btf_type *var = btf__type_by_id(btf, info->type);
			const char *name;

			if (!var || !btf_is_var(var))
				continue;
			name = btf__name_by_offset(btf, var->name_off);
			if (!name)
				continue;
			snprintf(out->name, sizeof(out->name), "%s", name);
			snprintf(out->section, sizeof(out->section), "%s", section_name);
			out->type = var->type;
			out->offset = info->offset;
			out->bytes = info->size;
			if (!accept(arg, out))
				continue;
			take_one(btf, info->type, out);
			return 0;
		}
	}
	return -ENOENT;
}

static int has_name(void *arg, const struct layout_variable *var)
{
	return !strcmp(var->name, arg);
}

int layout__find(const struct btf *btf, const char *name, struct layout_variable *out)
{
	if (search(btf, has_name, (void *)name, out))
		return spin_fail(-ENOENT, "the handlers have no state or table named '%s'", name);
	return 0;
}

static int is_nth(void *arg, const struct layout_variable *var)
{
	unsigned *left = arg;

	if (!strcmp(var->section, ".rodata"))
		return 0;
	if (strcmp(var->name, "spin_state") && !strncmp(var->name, "spin_", 5))
		return 0;
	return (*left)-- == 0;
}

int layout__nth(const struct btf *btf, unsigned i, struct layout_variable *out)
{
	return search(btf, is_nth, &i, out);
}

int layout__split(const char *assignment, char *name, size_t name_bytes, const char **path)
{
	size_t length = strcspn(assignment, ".[=");

	if (!strchr(assignment, '='))
		return spin_fail(-EINVAL, "'%s': write NAME.FIELD=VALUE", assignment);
	if (!length || length >= name_bytes)
		return spin_fail(-EINVAL, "'%s': a name is missing", assignment);
	memcpy(name, assignment, length);
	name[length] = '\0';
	*path = assignment + length;
	return 0;
}

uint32_t layout__sum(const struct layout_variable *var, const void *mem, size_t at)
{
	uint32_t sum = 0;

	for (unsigned copy = 0; copy < var->copies; copy++)
		sum += (uint32_t)layout_type__load((const char *)mem + copy * var->bytes + at, 4);
	return sum;
}

void layout__merge(const struct layout_variable *var, const void *mem, void *to)
{
	if (var->copies == 1) {
		memcpy(to, mem, var->bytes);
		return;
	}
	for (size_t at = 0; at < var->bytes; at += 4) {
		uint32_t sum = layout__sum(var, mem, at);

		memcpy((char *)to + at, &sum, sizeof(sum));
	}
}

void layout__give(const struct layout_variable *var, const void *value, void *mem)
{
	memcpy(mem, value, var->bytes);
	memset((char *)mem + var->bytes, 0, (var->copies - 1) * var->bytes);
}

int layout__set(const struct btf *btf, const struct layout_variable *var, void *mem, const char *path)
{
	struct layout_type type;
	uint64_t raw;
	size_t at;
	int err = layout_type__follow(btf, var->type, &path, &type, &at);

	if (err)
		return err;
	if (*path != '=')
		return spin_fail(-EINVAL, "%s: a value is missing", var->name);
	err = layout_type__parse(&type, path + 1, &raw);
	if (err)
		return err;
	if (at > var->bytes || type.bytes > var->bytes - at)
		return spin_fail(-ERANGE, "%s: the field lies outside the variable", var->name);
	layout_type__store((char *)mem + at, type.bytes, raw);
	for (unsigned copy = 1; copy < var->copies; copy++)
		layout_type__store((char *)mem + copy * var->bytes + at, type.bytes, 0);
	return 0;
}
