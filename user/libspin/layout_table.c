/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <spin/bytes.h>
#include <spin/table.h>

#include "user/libspin/internal.h"
#include "user/libspin/layout_type.h"

#define ENTRY_BYTES_MAX 4096

struct table {
	const struct btf *btf;
	const char *name;
	char *mem;
	uint32_t entries, entry_bytes, entry_type;
};

static int open_table(const struct btf *btf, const struct layout_variable *var, void *mem, struct table *t)
{
	struct layout_type type, entry, key;
	int err = layout_type__resolve(btf, var->type, &type);

	if (err)
		return err;
	if (var->copies > 1)
		return spin_fail(-EINVAL, "'%s' is memory of clusters, which has no keys: set fields of it", var->name);
	if (!btf_is_array(type.t))
		return spin_fail(-EINVAL, "'%s' is no table", var->name);
	*t = (struct table){
		.btf = btf, .name = var->name, .mem = mem, .entries = btf_array(type.t)->nelems, .entry_type = btf_array(type.t)->type
	};
	err = layout_type__resolve(btf, t->entry_type, &entry);
	if (err)
		return err;
	if (!btf_is_struct(entry.t) || !btf_vlen(entry.t) || layout_type__resolve(btf, btf_members(entry.t)->type, &key) ||
	    !layout_type__is_scalar(&key) || key.bytes != 4)
		return spin_fail(-EINVAL, "'%s' is no table with a 32-bit SPIN_KEY as its first field", var->name);
	t->entry_bytes = entry.bytes;
	if (entry.bytes % 4 || entry.bytes > ENTRY_BYTES_MAX || !t->entries || (uint64_t)t->entries * entry.bytes > var->bytes)
		return spin_fail(-EINVAL, "'%s' has entries that are no table's", var->name);
	return 0;
}

/* "src=10.0.0.1 port=7000" into an entry. */
static int parse_fields(const struct table *t, const char *fields, char *entry)
{
	char *copy = strdup(fields), *save = NULL;
	int err = 0;

	if (!copy)
		return spin_fail(-ENOMEM, "no memory");
	for (char *word = strtok_r(copy, " ,\t\r\n", &save); word && !err; word = strtok_r(NULL, " ,\t\r\n", &save)) {
		struct layout_type type;
		char dotted[256] = ".";
		const char *path = dotted;
		uint64_t raw;
		size_t at;

		if (!strchr(word, '=') || strlen(word) > sizeof(dotted) - 2) {
			err = spin_fail(-EINVAL, "%s: '%s': write FIELD=VALUE", t->name, word);
			break;
		}
		strcat(dotted, word);
		err = layout_type__follow(t->btf, t->entry_type, &path, &type, &at);
		if (!err)
			err = layout_type__parse(&type, path + 1, &raw);
		if (!err)
			layout_type__store(entry + at, type.bytes, raw);
		else
			spin_fail(err, "%s: %s", t->name, spin_strerror_last());
	}
	free(copy);
	return err;
}

static char *find_place(const struct table *t, uint32_t key)
{
	uint32_t home = spin_table_home(key, t->entries);

	for (uint32_t probe = 0; probe < SPIN_PROBES; probe++) {
		char *entry = t->mem + (size_t)((home + probe) & (t->entries - 1)) * t->entry_bytes;
		uint32_t have = (uint32_t)layout_type__load(entry, 4);

		if (!have || have == key)
			return entry;
	}
	return NULL;
}

int layout__insert(const struct btf *btf, const struct layout_variable *var, void *mem, const char *fields)
{
	uint32_t entry[ENTRY_BYTES_MAX / 4] = { 0 }, before[ENTRY_BYTES_MAX / 4], key;
	struct table t;
	char *place;
	int err = open_table(btf, var, mem, &t);

	if (!err)
		err = parse_fields(&t, fields, (char *)entry);
	if (err)
		return err;
	key = entry[0];
	if (!key)
		return spin_fail(-EINVAL, "%s: the key is missing or 0, which marks an empty entry", t.name);
	place = find_place(&t, key);
	if (!place)
		return spin_fail(-ENOSPC,
				 "%s: no free entry within %d of the key's place; a table holds well "
				 "up to half its entries",
				 t.name, SPIN_PROBES);

	/* Only what changes is stored: handlers count in the same entry. The key comes last. */
	memcpy(before, place, t.entry_bytes);
	if (before[0] == key) {
		memcpy(entry, before, t.entry_bytes);
		err = parse_fields(&t, fields, (char *)entry);
		if (err)
			return err;
	}
	for (uint32_t i = 1; i < t.entry_bytes / 4; i++)
		if (entry[i] != before[i])
			layout_type__store(place + 4 * i, 4, entry[i]);
	layout_type__store(place, 4, key);
	return 0;
}
