/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads and sets variables of handlers (state, tables) by name, member and index, through the type information (BTF) of their object.
 * Called by libspin's memory.c, spinctl, spinctl cost and the test engines of user/conformance.
 */
#include <arpa/inet.h>
#include <bpf/btf.h>
#include <errno.h>
#include <spin/bytes.h>
#include <spin/table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/libspin/error.h"
#include "user/libspin/object/layout.h"
#include "user/libspin/object/layout_type.h"

static int is_data(const char *section)
{
	static const char *const names[] = { ".data", ".bss", ".rodata", ".data.me" };

	for (unsigned i = 0; section && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(section, names[i]))
			return 1;
	return 0;
}

/* Returns 1 for a variable with SPIN_PER_CLUSTER of <spin/cluster.h>. */
static int is_per_cluster(const struct btf *btf, uint32_t var)
{
	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *tag = btf__type_by_id(btf, id);

		if (tag && btf_is_decl_tag(tag) && tag->type == var && btf_decl_tag(tag)->component_idx == -1 &&
		    !strcmp(btf__name_by_offset(btf, tag->name_off), "spin_cluster"))
			return 1;
	}
	return 0;
}

/* Replaces the type and size of the array of all copies by those of one copy. */
static void select_copy(const struct btf *btf, uint32_t var, struct layout_variable *out)
{
	const struct btf_type *array = btf__type_by_id(btf, out->type);
	uint32_t copies;

	out->copies = 1;
	if (!array || !btf_is_array(array) || !is_per_cluster(btf, var))
		return;
	copies = btf_array(array)->nelems;
	if (!copies || out->bytes % copies || out->bytes / copies % 4)
		return;
	out->copies = copies;
	out->bytes /= copies;
	out->type = btf_array(array)->type;
}

/*
 * Finds the first variable of the data sections, in the order of the object, that accept() takes by name and section. Only
 * for that one are tags searched, because each such search visits all types.
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
			select_copy(btf, info->type, out);
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

void layout__assign(const struct layout_variable *var, const void *value, void *mem)
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

/* Calls the walk's function for each scalar in a value of any type; w->path names the scalar, as in `table[3].count`. */
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

/* Two types that are compared. Types refer to one another, so without `left` a damaged object could make the comparison endless. */
struct pair {
	const struct btf *a, *b;
	unsigned left; /* types left to visit */
};

static int same_type(struct pair *p, uint32_t id_a, uint32_t id_b, unsigned depth);

/* Names and offsets must be the same as well: tables and state are found by them. */
static int same_members(struct pair *p, const struct btf_type *ta, const struct btf_type *tb, unsigned depth)
{
	if (btf_kind(ta) != btf_kind(tb) || btf_vlen(ta) != btf_vlen(tb))
		return 0;
	for (unsigned i = 0; i < btf_vlen(ta); i++) {
		const struct btf_member *ma = btf_members(ta) + i, *mb = btf_members(tb) + i;
		const char *name_a = btf__name_by_offset(p->a, ma->name_off), *name_b = btf__name_by_offset(p->b, mb->name_off);

		if (!name_a || !name_b || strcmp(name_a, name_b) || btf_member_bit_offset(ta, i) != btf_member_bit_offset(tb, i) ||
		    btf_member_bitfield_size(ta, i) != btf_member_bitfield_size(tb, i) || !same_type(p, ma->type, mb->type, depth + 1))
			return 0;
	}
	return 1;
}

static int same_type(struct pair *p, uint32_t id_a, uint32_t id_b, unsigned depth)
{
	struct layout_type x, y;

	if (depth > DEPTH_MAX || !p->left || !p->left-- || layout_type__resolve(p->a, id_a, &x) || layout_type__resolve(p->b, id_b, &y) ||
	    x.bytes != y.bytes || x.network_order != y.network_order || x.is_signed != y.is_signed)
		return 0;
	if (btf_is_composite(x.t) && btf_is_composite(y.t))
		return same_members(p, x.t, y.t, depth);
	if (btf_is_array(x.t) && btf_is_array(y.t))
		return btf_array(x.t)->nelems == btf_array(y.t)->nelems &&
		       same_type(p, btf_array(x.t)->type, btf_array(y.t)->type, depth + 1);
	return layout_type__is_scalar(&x) && layout_type__is_scalar(&y);
}

int layout__same_type(const struct btf *a, uint32_t id_a, const struct btf *b, uint32_t id_b)
{
	struct pair p = { a, b, LAYOUT_TYPES_MAX };

	return same_type(&p, id_a, id_b, 0);
}

int layout__same(const struct btf *a, const struct layout_variable *x, const struct btf *b, const struct layout_variable *y)
{
	return !strcmp(x->section, y->section) && x->offset == y->offset && x->bytes == y->bytes && x->copies == y->copies &&
	       layout__same_type(a, x->type, b, y->type);
}

#define ENTRY_BYTES_MAX 4096

struct table {
	const struct btf *btf;
	const char *name;
	char *mem;
	uint32_t entries, entry_bytes, entry_type;
};

/* Checks that a variable is a table, an array of structs whose first field is a 32-bit key. Sets *t to its description. */
static int open_table(const struct btf *btf, const struct layout_variable *var, void *mem, struct table *t)
{
	struct layout_type type, entry, key;
	int err = layout_type__resolve(btf, var->type, &type);

	if (err)
		return err;
	if (var->copies > 1)
		return spin_fail(-EINVAL, "'%s' is memory of clusters, which has no keys: set fields of it", var->name);
	if (!btf_is_array(type.t))
		return spin_fail(-EINVAL, "'%s' is not a table", var->name);
	*t = (struct table){
		.btf = btf, .name = var->name, .mem = mem, .entries = btf_array(type.t)->nelems, .entry_type = btf_array(type.t)->type
	};
	err = layout_type__resolve(btf, t->entry_type, &entry);
	if (err)
		return err;
	if (!btf_is_struct(entry.t) || !btf_vlen(entry.t) || layout_type__resolve(btf, btf_members(entry.t)->type, &key) ||
	    !layout_type__is_scalar(&key) || key.bytes != 4)
		return spin_fail(-EINVAL, "'%s' is not a table with a 32-bit SPIN_KEY as its first field", var->name);
	t->entry_bytes = entry.bytes;
	if (entry.bytes % 4 || entry.bytes > ENTRY_BYTES_MAX || !t->entries || (uint64_t)t->entries * entry.bytes > var->bytes)
		return spin_fail(-EINVAL, "'%s' has entries that are not a table's", var->name);
	return 0;
}

/* Parses "src=10.0.0.1 port=7000" into an entry. */
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

/* Returns the entry with this key, or the free one where it would be inserted; NULL if there is neither. */
static char *find_slot(const struct table *t, uint32_t key)
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
	place = find_slot(&t, key);
	if (!place)
		return spin_fail(-ENOSPC,
				 "%s: no free entry within %d of the key's place; a table holds well "
				 "up to half its entries",
				 t.name, SPIN_PROBES);

	/* Only words that change are stored, because handlers count in the same entry. The key comes last. */
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

/* Returns the entry at an index of the table, which wraps around. */
static char *entry_at(const struct table *t, uint32_t place)
{
	return t->mem + (size_t)(place & (t->entries - 1)) * t->entry_bytes;
}

/* Returns 1 if a search for the key of the entry at `from`, which begins at its home slot, passes `hole`. */
static int is_moved_by(const struct table *t, uint32_t from, uint32_t hole)
{
	const uint32_t home = spin_table_home((uint32_t)layout_type__load(entry_at(t, from), 4), t->entries);

	return ((from - home) & (t->entries - 1)) >= ((from - hole) & (t->entries - 1));
}

/*
 * Backward-shift deletion: a search ends at an empty entry, so entries after the hole move into it. Each is in both slots before its old
 * slot is cleared.
 */
static void close_hole(const struct table *t, uint32_t hole)
{
	for (uint32_t at = hole + 1, steps = 0; steps < t->entries && layout_type__load(entry_at(t, at), 4); at++, steps++) {
		char *from = entry_at(t, at), *to = entry_at(t, hole);

		if (!is_moved_by(t, at, hole))
			continue;
		for (uint32_t i = t->entry_bytes / 4; i-- > 0;) /* store the key last */
			layout_type__store(to + 4 * i, 4, layout_type__load(from + 4 * i, 4));
		hole = at;
	}
	for (uint32_t i = 0; i < t->entry_bytes / 4; i++) /* clear the key first */
		layout_type__store(entry_at(t, hole) + 4 * i, 4, 0);
}

int layout__delete(const struct btf *btf, const struct layout_variable *var, void *mem, const char *key)
{
	uint32_t entry[ENTRY_BYTES_MAX / 4] = { 0 };
	struct table t;
	char *place;
	int err = open_table(btf, var, mem, &t);

	if (!err)
		err = parse_fields(&t, key, (char *)entry);
	if (err)
		return err;
	if (!entry[0])
		return spin_fail(-EINVAL, "%s: the key is missing or 0, which marks an empty entry", t.name);
	place = find_slot(&t, entry[0]);
	if (!place || (uint32_t)layout_type__load(place, 4) != entry[0])
		return spin_fail(-ENOENT, "%s has no entry with this key", t.name);
	close_hole(&t, (uint32_t)((size_t)(place - t.mem) / t.entry_bytes));
	return 0;
}

int layout__table(const struct btf *btf, const struct layout_variable *var, struct layout_table *out)
{
	struct layout_type type, entry;
	int err = layout_type__resolve(btf, var->type, &type);

	if (err)
		return err;
	if (var->copies > 1 || !btf_is_array(type.t) || layout_type__resolve(btf, btf_array(type.t)->type, &entry))
		return spin_fail(-EINVAL, "'%s' is not a table", var->name);
	*out = (struct layout_table){ .entries = btf_array(type.t)->nelems, .entry_bytes = entry.bytes };
	if (!entry.bytes || (uint64_t)out->entries * entry.bytes != var->bytes)
		return spin_fail(-EINVAL, "'%s' has entries that are not a table's", var->name);
	return 0;
}

int layout__entry(const struct btf *btf, const struct layout_variable *var, const char *fields, void *entry)
{
	struct table t;
	int err = open_table(btf, var, NULL, &t);

	return err ? err : parse_fields(&t, fields, entry);
}
