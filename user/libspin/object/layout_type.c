/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Types of handlers' variables: resolves type information (BTF) to scalars, follows a path of members, stores and loads a value in one
 * access. Called by layout.c, layout_plan.c and user/conformance/difference.c.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/libspin/error.h"
#include "user/libspin/object/layout_type.h"

int layout_type__resolve(const struct btf *btf, uint32_t id, struct layout_type *out)
{
	long long bytes;

	*out = (struct layout_type){ 0 };
	for (unsigned depth = 0; depth < 32; depth++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (!t)
			break;
		if (btf_is_typedef(t)) {
			const char *name = btf__name_by_offset(btf, t->name_off);

			if (name && (!strcmp(name, "spin_be16") || !strcmp(name, "spin_be32")))
				out->network_order = 1;
		}
		if (btf_is_mod(t) || btf_is_typedef(t)) {
			id = t->type;
			continue;
		}
		bytes = btf__resolve_size(btf, id);
		if (bytes < 0 || bytes > 1 << 30)
			break;
		out->t = t;
		out->bytes = (uint32_t)bytes;
		out->is_signed = btf_is_int(t) && btf_int_encoding(t) & BTF_INT_SIGNED;
		return 0;
	}
	return spin_fail(-EINVAL, "the object's type information is damaged; compile it again with spincc");
}

int layout_type__is_scalar(const struct layout_type *type)
{
	return (btf_is_int(type->t) || btf_is_any_enum(type->t)) &&
	       (type->bytes == 1 || type->bytes == 2 || type->bytes == 4 || type->bytes == 8);
}

int layout_type__is_wrapper(const struct layout_type *type)
{
	return btf_is_struct(type->t) && btf_vlen(type->t) == 1 && type->bytes <= 8;
}

/* Finds a member by name, also inside unnamed structs and unions. */
static int find_member(const struct btf *btf, const struct btf_type *t, const char *name, size_t length, uint32_t *type, size_t *at,
		       unsigned depth)
{
	const struct btf_member *m = btf_members(t);

	for (unsigned i = 0; i < btf_vlen(t); i++, m++) {
		const char *have = btf__name_by_offset(btf, m->name_off);
		struct layout_type inner;

		if (btf_member_bitfield_size(t, i))
			continue;
		if (have && *have) {
			if (strlen(have) == length && !strncmp(have, name, length)) {
				*type = m->type;
				*at += btf_member_bit_offset(t, i) / 8;
				return 0;
			}
			continue;
		}
		if (depth < 8 && !layout_type__resolve(btf, m->type, &inner) && btf_is_composite(inner.t) &&
		    !find_member(btf, inner.t, name, length, type, at, depth + 1)) {
			*at += btf_member_bit_offset(t, i) / 8;
			return 0;
		}
	}
	return -ENOENT;
}

static int follow_index(const struct layout_type *here, const char **path, uint32_t *type, size_t *index)
{
	const struct btf_array *array = btf_array(here->t);
	char *end;

	if (!btf_is_array(here->t))
		return spin_fail(-EINVAL, "'%s': what stands before it is not an array", *path);
	if (!isdigit((unsigned char)(*path)[1]))
		return spin_fail(-EINVAL, "'%s': an index is missing", *path);
	*index = strtoul(*path + 1, &end, 10);
	if (*end != ']')
		return spin_fail(-EINVAL, "'%s': an index ends with ]", *path);
	if (*index >= array->nelems)
		return spin_fail(-ERANGE, "'%s': the array has %u entries, from 0", *path, array->nelems);
	*type = array->type;
	*path = end + 1;
	return 0;
}

int layout_type__follow(const struct btf *btf, uint32_t id, const char **path, struct layout_type *out, size_t *at)
{
	int err = layout_type__resolve(btf, id, out);

	*at = 0;
	while (!err && **path && **path != '=') {
		uint32_t next = 0;

		if (**path == '[') {
			size_t index = 0;

			err = follow_index(out, path, &next, &index);
			if (!err)
				err = layout_type__resolve(btf, next, out);
			*at += index * (err ? 0 : out->bytes);
			continue;
		}
		if (**path == '.') {
			const char *name = *path + 1;
			size_t length = strcspn(name, ".[=");

			if (!btf_is_composite(out->t) || find_member(btf, out->t, name, length, &next, at, 0))
				return spin_fail(-ENOENT, "there is no field '%.*s'", (int)length, name);
			*path = name + length;
			err = layout_type__resolve(btf, next, out);
			continue;
		}
		return spin_fail(-EINVAL, "'%s': expected .field, [index] or =", *path);
	}
	while (!err && layout_type__is_wrapper(out))
		err = layout_type__resolve(btf, btf_members(out->t)->type, out);
	return err;
}

int layout_type__parse(const struct layout_type *type, const char *text, uint64_t *raw)
{
	unsigned bits = type->bytes * 8;
	struct in_addr address;
	char *end;

	if (!layout_type__is_scalar(type))
		return spin_fail(-EINVAL, "a value goes to a number, not to a whole struct or array: name a field");
	if (strchr(text, '.')) {
		if (inet_pton(AF_INET, text, &address) != 1)
			return spin_fail(-EINVAL, "'%s' is neither a number nor an IPv4 address", text);
		if (type->bytes != 4)
			return spin_fail(-ERANGE, "'%s': an address needs a field of 4 bytes, this has %u", text, type->bytes);
		*raw = address.s_addr;
		return 0;
	}
	errno = 0;
	if (*text == '-') {
		long long n = strtoll(text, &end, 0);

		if (!type->is_signed || errno || n < -(1ll << (bits - 1)))
			return spin_fail(-ERANGE, "'%s' does not fit a field of %u %s bits", text, bits,
					 type->is_signed ? "signed" : "unsigned");
		*raw = (uint64_t)n;
	} else {
		*raw = strtoull(text, &end, 0);
		if (errno || (bits - type->is_signed < 64 && *raw >> (bits - type->is_signed)))
			return spin_fail(-ERANGE, "'%s' does not fit a field of %u %s bits", text, bits,
					 type->is_signed ? "signed" : "unsigned");
	}
	if (!isdigit((unsigned char)text[*text == '-']) || *end)
		return spin_fail(-EINVAL, "'%s' is neither a number nor an IPv4 address", text);
	if (type->network_order)
		*raw = type->bytes == 2 ? htons((uint16_t)*raw) : htonl((uint32_t)*raw);
	return 0;
}

void layout_type__store(void *to, unsigned bytes, uint64_t raw)
{
	switch (bytes) {
	case 1:
		__atomic_store_n((uint8_t *)to, (uint8_t)raw, __ATOMIC_RELEASE);
		break;
	case 2:
		__atomic_store_n((uint16_t *)to, (uint16_t)raw, __ATOMIC_RELEASE);
		break;
	case 4:
		__atomic_store_n((uint32_t *)to, (uint32_t)raw, __ATOMIC_RELEASE);
		break;
	case 8:
		__atomic_store_n((uint64_t *)to, raw, __ATOMIC_RELEASE);
		break;
	}
}

uint64_t layout_type__load(const void *from, unsigned bytes)
{
	switch (bytes) {
	case 1:
		return __atomic_load_n((const uint8_t *)from, __ATOMIC_RELAXED);
	case 2:
		return __atomic_load_n((const uint16_t *)from, __ATOMIC_RELAXED);
	case 4:
		return __atomic_load_n((const uint32_t *)from, __ATOMIC_RELAXED);
	default:
		return __atomic_load_n((const uint64_t *)from, __ATOMIC_RELAXED);
	}
}
