/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Validates an object's type information before libbpf, which trusts it, reads it: names and referenced types must exist and
 * be of the right kind, and chains must end. Called by object.c.
 */
#include <errno.h>
#include <string.h>

#include <bpf/btf.h>

#include "user/libspin/internal.h"

#define CHAIN_MAX 32

struct types {
	const struct btf *btf;
	uint32_t count;
};

static const struct btf_type *type_at(const struct types *t, uint32_t id)
{
	return id < t->count ? btf__type_by_id(t->btf, id) : NULL;
}

static int has_name(const struct types *t, uint32_t offset)
{
	return btf__name_by_offset(t->btf, offset) != NULL;
}

/* Returns 1 if a chain of qualifiers, typedefs and arrays reaches another type within CHAIN_MAX steps. */
static int chain_ends(const struct types *t, uint32_t id)
{
	for (unsigned i = 0; i < CHAIN_MAX; i++) {
		const struct btf_type *type = type_at(t, id);

		if (!type)
			return 0;
		if (btf_is_mod(type) || btf_is_typedef(type))
			id = type->type;
		else if (btf_is_array(type))
			id = btf_array(type)->type;
		else
			return 1;
	}
	return 0;
}

static int are_members_valid(const struct types *t, const struct btf_type *type)
{
	const struct btf_member *m = btf_members(type);

	for (unsigned i = 0; i < btf_vlen(type); i++, m++)
		if (!has_name(t, m->name_off) || !chain_ends(t, m->type))
			return 0;
	return 1;
}

static int are_params_valid(const struct types *t, const struct btf_type *type)
{
	const struct btf_param *p = btf_params(type);

	for (unsigned i = 0; i < btf_vlen(type); i++, p++)
		if (!has_name(t, p->name_off) || !chain_ends(t, p->type))
			return 0;
	return chain_ends(t, type->type);
}

static int is_section_valid(const struct types *t, const struct btf_type *type)
{
	const struct btf_var_secinfo *info = btf_var_secinfos(type);
	const char *name = btf__name_by_offset(t->btf, type->name_off);

	if (!name || !*name)
		return 0;
	for (unsigned i = 0; i < btf_vlen(type); i++, info++) {
		const struct btf_type *var = type_at(t, info->type);

		if (!var || (!btf_is_var(var) && !btf_is_func(var)))
			return 0;
	}
	return 1;
}

static int is_function_valid(const struct types *t, const struct btf_type *type)
{
	const struct btf_type *proto = type_at(t, type->type);
	const char *name = btf__name_by_offset(t->btf, type->name_off);

	return name && *name && proto && btf_is_func_proto(proto);
}

static int is_type_valid(const struct types *t, const struct btf_type *type)
{
	const char *name;

	if (!has_name(t, type->name_off))
		return 0;
	switch (btf_kind(type)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return are_members_valid(t, type);
	case BTF_KIND_FUNC_PROTO:
		return are_params_valid(t, type);
	case BTF_KIND_DATASEC:
		return is_section_valid(t, type);
	case BTF_KIND_FUNC:
		return is_function_valid(t, type);
	case BTF_KIND_VAR:
		name = btf__name_by_offset(t->btf, type->name_off);
		return name && *name && chain_ends(t, type->type);
	case BTF_KIND_ARRAY:
		return chain_ends(t, btf_array(type)->type) && chain_ends(t, btf_array(type)->index_type);
	case BTF_KIND_PTR:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return chain_ends(t, type->type);
	default:
		return 1;
	}
}

int spin_btf__check(const char *path, const uint8_t *data, size_t bytes)
{
	size_t offset, section_bytes;
	struct btf *btf;
	struct types t;
	int is_valid = 1;

	if (spin_elf__section(data, bytes, ".BTF", &offset, &section_bytes) || !section_bytes || section_bytes > UINT32_MAX)
		return spin_fail(-EINVAL, "%s has no type information (BTF); compile it again with spincc", path);
	btf = btf__new(data + offset, (uint32_t)section_bytes);
	if (btf) {
		t = (struct types){ .btf = btf, .count = btf__type_cnt(btf) };
		for (uint32_t id = 1; id < t.count && is_valid; id++)
			is_valid = is_type_valid(&t, btf__type_by_id(btf, id));
		btf__free(btf);
		if (is_valid)
			return 0;
	}
	return spin_fail(-EINVAL, "%s is damaged: its type information is invalid; compile it again with spincc", path);
}
