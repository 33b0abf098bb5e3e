/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads the BTF (types, map definitions, source lines) of a BPF object that is not trusted. Called by object.c. Each type's extent is
 * checked once, when the types are counted. Chains of types are followed for a bounded number of steps.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/nfp/btf.h"

#define TYPES_MAX      1000000u
#define RECORDS_MAX    1000000u /* of lines, of a section; each finding searches them */
#define SECTIONS_MAX   4096u    /* with lines */
#define NAME_BYTES_MAX 4096u    /* so that reading a name takes no time that grows with the file */
#define STEPS_MAX      32       /* steps through modifiers and typedefs, as in libbpf */

static uint32_t read_word(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static int type_of(const struct nfp_btf *btf, uint32_t id, struct btf_type *out)
{
	if (!id || id >= btf->count)
		return -1;
	memcpy(out, btf->data + btf->types[id], sizeof(*out));
	return 0;
}

/* The size of what follows the type's own 12 bytes. */
static uint64_t trailing_bytes(const struct btf_type *t)
{
	uint64_t n = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return 4;
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return n * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
	case BTF_KIND_DATASEC:
		return n * 12;
	case BTF_KIND_FUNC_PROTO:
		return n * sizeof(struct btf_param);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	}
	return UINT64_MAX;
}

/* Only counts the types if `types` is NULL. */
static int walk_types(struct nfp_btf *btf, uint32_t from, uint32_t end, uint32_t *types)
{
	uint32_t count = 1;

	while (from < end) {
		struct btf_type t;
		uint64_t more;

		if (end - from < sizeof(t) || count >= TYPES_MAX)
			return -EINVAL;
		memcpy(&t, btf->data + from, sizeof(t));
		more = trailing_bytes(&t);
		if (more > end - from - sizeof(t))
			return -EINVAL;
		if (types)
			types[count] = from;
		count++;
		from += (uint32_t)(sizeof(t) + more);
	}
	btf->count = count;
	return 0;
}

int nfp_btf__open(struct nfp_btf *btf, const void *data, size_t bytes)
{
	struct btf_header header;
	uint64_t types, strings;

	*btf = (struct nfp_btf){ .data = data, .bytes = bytes };
	if (bytes < sizeof(header))
		return -EINVAL;
	memcpy(&header, data, sizeof(header));
	types = (uint64_t)header.hdr_len + header.type_off;
	strings = (uint64_t)header.hdr_len + header.str_off;
	if (header.magic != BTF_MAGIC || header.hdr_len < sizeof(header) || types + header.type_len > bytes ||
	    strings + header.str_len > bytes)
		return -EINVAL;
	btf->strings = (const char *)btf->data + strings;
	btf->string_bytes = header.str_len;
	if (walk_types(btf, (uint32_t)types, (uint32_t)(types + header.type_len), NULL))
		return -EINVAL;
	btf->types = calloc(btf->count, sizeof(*btf->types));
	if (!btf->types)
		return -ENOMEM;
	return walk_types(btf, (uint32_t)types, (uint32_t)(types + header.type_len), btf->types);
}

void nfp_btf__close(struct nfp_btf *btf)
{
	free(btf->types);
	*btf = (struct nfp_btf){ 0 };
}

const char *nfp_btf__string(const struct nfp_btf *btf, uint32_t offset)
{
	size_t bytes;

	if (offset >= btf->string_bytes)
		return "";
	bytes = btf->string_bytes - offset;
	if (!memchr(btf->strings + offset, 0, bytes < NAME_BYTES_MAX ? bytes : NAME_BYTES_MAX))
		return "";
	return btf->strings + offset;
}

/* Follows modifiers and typedefs to the type they name. Returns 0 if there is none. */
static uint32_t resolve(const struct nfp_btf *btf, uint32_t id, struct btf_type *t)
{
	for (int i = 0; i < STEPS_MAX; i++) {
		if (type_of(btf, id, t))
			return 0;
		switch (BTF_INFO_KIND(t->info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = t->type;
			continue;
		}
		return id;
	}
	return 0;
}

/* sizeof() of a type; -1 if it has none. */
static int64_t bytes_of(const struct nfp_btf *btf, uint32_t id)
{
	uint64_t times = 1;

	for (int i = 0; i < STEPS_MAX; i++) {
		struct btf_type t;
		struct btf_array array;

		id = resolve(btf, id, &t);
		if (!id)
			return -1;
		switch (BTF_INFO_KIND(t.info)) {
		case BTF_KIND_INT:
		case BTF_KIND_STRUCT:
		case BTF_KIND_UNION:
		case BTF_KIND_ENUM:
		case BTF_KIND_ENUM64:
		case BTF_KIND_FLOAT:
		case BTF_KIND_DATASEC:
			times *= t.size;
			return times <= UINT32_MAX ? (int64_t)times : -1;
		case BTF_KIND_PTR:
			return times * 8 <= UINT32_MAX ? (int64_t)(times * 8) : -1;
		case BTF_KIND_ARRAY:
			memcpy(&array, btf->data + btf->types[id] + sizeof(t), sizeof(array));
			times *= array.nelems;
			if (times > UINT32_MAX)
				return -1;
			id = array.type;
			continue;
		}
		return -1;
	}
	return -1;
}

/* __uint(name, N) of a map's definition: a pointer to an array of N. */
static int number_of(const struct nfp_btf *btf, uint32_t id, uint32_t *out)
{
	struct btf_type t;
	struct btf_array array;

	id = resolve(btf, id, &t);
	if (!id || BTF_INFO_KIND(t.info) != BTF_KIND_PTR)
		return -EINVAL;
	id = t.type;
	if (type_of(btf, id, &t) || BTF_INFO_KIND(t.info) != BTF_KIND_ARRAY)
		return -EINVAL;
	memcpy(&array, btf->data + btf->types[id] + sizeof(t), sizeof(array));
	*out = array.nelems;
	return 0;
}

/* __type(name, T) of a map's definition: a pointer to T. */
static int pointee_bytes(const struct nfp_btf *btf, uint32_t id, uint32_t *out)
{
	struct btf_type t;
	int64_t bytes;

	if (!resolve(btf, id, &t) || BTF_INFO_KIND(t.info) != BTF_KIND_PTR)
		return -EINVAL;
	bytes = bytes_of(btf, t.type);
	if (bytes < 0)
		return -EINVAL;
	*out = (uint32_t)bytes;
	return 0;
}

/* Reads one member of the map's definition. Members of other names do not matter. */
static int read_member(const struct nfp_btf *btf, const struct btf_member *m, struct nfp_map_definition *out)
{
	const char *name = nfp_btf__string(btf, m->name_off);

	if (!strcmp(name, "type"))
		return number_of(btf, m->type, &out->type);
	if (!strcmp(name, "max_entries"))
		return number_of(btf, m->type, &out->entries);
	if (!strcmp(name, "map_flags"))
		return number_of(btf, m->type, &out->flags);
	if (!strcmp(name, "key_size"))
		return number_of(btf, m->type, &out->key_bytes);
	if (!strcmp(name, "value_size"))
		return number_of(btf, m->type, &out->value_bytes);
	if (!strcmp(name, "numa_node")) {
		out->has_numa_node = 1;
		return number_of(btf, m->type, &out->numa_node);
	}
	if (!strcmp(name, "key"))
		return pointee_bytes(btf, m->type, &out->key_bytes);
	if (!strcmp(name, "value"))
		return pointee_bytes(btf, m->type, &out->value_bytes);
	return 0; /* pinning, values, map_extra: do not matter to the card */
}

int nfp_btf__map(const struct nfp_btf *btf, const char *name, struct nfp_map_definition *out)
{
	*out = (struct nfp_map_definition){ 0 };
	for (uint32_t id = 1; id < btf->count; id++) {
		struct btf_type var, def;
		uint32_t of;

		if (type_of(btf, id, &var) || BTF_INFO_KIND(var.info) != BTF_KIND_VAR || strcmp(nfp_btf__string(btf, var.name_off), name))
			continue;
		of = resolve(btf, var.type, &def);
		if (!of || BTF_INFO_KIND(def.info) != BTF_KIND_STRUCT)
			return -EINVAL;
		for (unsigned i = 0; i < BTF_INFO_VLEN(def.info); i++) {
			struct btf_member m;

			memcpy(&m, btf->data + btf->types[of] + sizeof(def) + i * sizeof(m), sizeof(m));
			if (read_member(btf, &m, out))
				return -EINVAL;
		}
		return 0;
	}
	return -ENOENT;
}

/* Finds the records of `section` in .BTF.ext: *count records of *record_bytes each. */
static const uint8_t *find_records(const struct nfp_btf *btf, const uint8_t *ext, size_t bytes, const char *section, uint32_t *record_bytes,
				   uint32_t *count)
{
	uint64_t at, end;
	unsigned sections = 0;

	if (bytes < 24)
		return NULL;
	/* header: magic, version, flags, length, func_info offset and length, line_info offset and length */
	at = (uint64_t)read_word(ext + 4) + read_word(ext + 16);
	end = at + read_word(ext + 20);
	if (ext[0] != (BTF_MAGIC & 0xff) || ext[1] != BTF_MAGIC >> 8 || end > bytes || end - at < 4)
		return NULL;
	*record_bytes = read_word(ext + at);
	if (*record_bytes < 16 || *record_bytes > 4096)
		return NULL;
	for (at += 4; end - at >= 8 && sections++ < SECTIONS_MAX;) {
		const char *name = nfp_btf__string(btf, read_word(ext + at));
		uint64_t length;

		*count = read_word(ext + at + 4);
		length = (uint64_t)*count * *record_bytes;
		at += 8;
		if (length > end - at)
			return NULL;
		if (!strcmp(name, section))
			return *count <= RECORDS_MAX ? ext + at : NULL;
		at += length;
	}
	return NULL;
}

void nfp_btf__line(const struct nfp_btf *btf, const void *ext, size_t ext_bytes, const char *section, uint32_t offset, char *to,
		   size_t to_bytes)
{
	uint32_t record_bytes, count, best_offset = 0;
	const uint8_t *records, *best = NULL;
	const char *file, *slash;

	*to = 0;
	records = ext ? find_records(btf, ext, ext_bytes, section, &record_bytes, &count) : NULL;
	if (!records)
		return;
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *record = records + (size_t)i * record_bytes;
		uint32_t its_offset = read_word(record);

		if (its_offset > offset || (best && its_offset < best_offset) || !(read_word(record + 12) >> 10))
			continue;
		best = record;
		best_offset = its_offset;
	}
	if (!best)
		return;
	file = nfp_btf__string(btf, read_word(best + 4));
	slash = strrchr(file, '/');
	snprintf(to, to_bytes, "%.120s:%u", slash ? slash + 1 : file, read_word(best + 12) >> 10);
}
