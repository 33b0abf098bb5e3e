/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Checks the types of handlers' state and tables, for spincc. Called by check.c and card.c. Host, kernel and the NIC's processor (HPU)
 * share their layout, so each field must have the same width everywhere. The debug information of the handler's IR shows the fields that
 * compilers would lay out differently.
 */
#include <stdio.h>
#include <string.h>

#include "user/spincc/ir.h"

#define DEPTH_MAX 32

struct field {
	int is_summed; /* 1: in SPIN_PER_CLUSTER memory: 32-bit words only */
	char name[128];
	char file[PATH_MAX];
	unsigned line; /* in the user's files */
};

static int is_one_of(const char *name, const char *const *names)
{
	while (*names && strcmp(*names, name))
		names++;
	return *names != NULL;
}

/* Returns 1 for C library typedefs that are a long here and have the same width on an HPU. */
static int has_fixed_width(const char *name)
{
	static const char *const names[] = { "int64_t", "uint64_t", "__int64_t", "__uint64_t", "__s64",
					     "__u64",   "intmax_t", "uintmax_t", NULL };

	return is_one_of(name, names);
}

static int is_long(const char *name)
{
	static const char *const names[] = { "long", "unsigned long", "long int", "long unsigned int", NULL };

	return is_one_of(name, names);
}

static const char *article(const char *type)
{
	return !strncmp(type, "un", 2) || *type == 'i' ? "an" : "a";
}

/* Returns 1 if a field or variable was declared with a btf_decl_tag. `quoted` is its name in quotes. */
static int has_tag(const struct ir *ir, const char *declared, const char *quoted)
{
	const char *tags = ir__ref(ir, declared, "annotations: "), *at = tags ? strchr(tags, '{') : NULL;

	for (; at; at = strchr(at, ',')) {
		const char *tag;

		at += strcspn(at, "!");
		tag = *at ? ir__ref(ir, at, "") : NULL;
		if (tag && strstr(tag, quoted))
			return 1;
	}
	return 0;
}

int check__is_key(const struct ir *ir, const char *member)
{
	return has_tag(ir, member, "!\"spin_key\"");
}

/* Refuses a field of SPIN_PER_CLUSTER memory that is not a 32-bit word: only words are summed. */
static int refuse_unsummed(const struct field *field, const char *name)
{
	fprintf(stderr, "%s:%u: '%s' is not a uint32_t but %s: the value of SPIN_PER_CLUSTER is the sum of its copies, by 32-bit words\n",
		field->file, field->line, field->name, name);
	return -1;
}

/* `shown` is the typedef it was declared with, or "". */
static int refuse_long(const struct field *field, const char *name, const char *shown)
{
	if (!*shown)
		shown = name;
	fprintf(stderr,
		"%s:%u: '%s' is %s %s, which has 8 bytes in the kernel and 4 on an HPU; use int32_t, uint32_t, int64_t or "
		"uint64_t\n",
		field->file, field->line, field->name, article(shown), shown);
	return -1;
}

static int check_type(const struct spincc *s, const struct ir *ir, const char *type, const struct field *field, int depth);

static int check_member(const struct spincc *s, const struct ir *ir, const char *member, const struct field *outer, int depth)
{
	struct field field = *outer;
	char file[PATH_MAX], name[sizeof(field.name)];
	unsigned line = ir__source_line(s, ir, member, file);

	ir__quoted(member, "name: ", name, sizeof(name));
	if (line) {
		field.line = line;
		snprintf(field.file, sizeof(field.file), "%s", file);
		if (strstr(member, "name: \""))
			snprintf(field.name, sizeof(field.name), "%s", name);
	}
	if (check__is_key(ir, member) && ir__number(member, "offset: ")) {
		fprintf(stderr, "%s:%u: SPIN_KEY %s: SPIN_FIND looks for the key in an entry's first field; make it that\n", field.file,
			field.line, name);
		return -1;
	}
	return check_type(s, ir, ir__ref(ir, member, "baseType: "), &field, depth + 1);
}

static int check_members(const struct spincc *s, const struct ir *ir, const char *type, const struct field *field, int depth)
{
	const char *list = ir__ref(ir, type, "elements: "), *at = list ? strchr(list, '{') : NULL;
	int err = 0;

	for (; at && !err; at = strchr(at, ',')) {
		const char *member;

		at += strcspn(at, "!");
		member = *at ? ir__ref(ir, at, "") : NULL;
		if (member && strstr(member, "DW_TAG_member"))
			err = check_member(s, ir, member, field, depth);
	}
	return err;
}

static int check_type(const struct spincc *s, const struct ir *ir, const char *type, const struct field *field, int depth)
{
	char name[128], shown[128] = "";

	for (; type && depth < DEPTH_MAX; type = ir__ref(ir, type, "baseType: "), depth++) {
		ir__quoted(type, "name: ", name, sizeof(name));
		if (strstr(type, "DW_TAG_pointer_type")) {
			fprintf(stderr, "%s:%u: '%s' is a pointer; state has none: keep an index\n", field->file, field->line, field->name);
			return -1;
		}
		if (strstr(type, "DW_TAG_structure_type") || strstr(type, "DW_TAG_union_type"))
			return check_members(s, ir, type, field, depth);
		if (strstr(type, "DW_TAG_enumeration_type"))
			return field->is_summed ? refuse_unsummed(field, "an enum") : 0;
		if (strstr(type, "DW_TAG_typedef")) {
			if (has_fixed_width(name))
				return field->is_summed ? refuse_unsummed(field, name) : 0;
			if (!*shown)
				snprintf(shown, sizeof(shown), "%s", name);
		}
		if (strstr(type, "!DIBasicType(") && is_long(name))
			return refuse_long(field, name, shown);
		if (strstr(type, "!DIBasicType(") && field->is_summed && strcmp(name, "unsigned int"))
			return refuse_unsummed(field, *shown ? shown : name);
	}
	return 0;
}

int check__fields(const struct spincc *s, const struct ir *ir, const char *variable)
{
	struct field field;

	ir__quoted(variable, "name: ", field.name, sizeof(field.name));
	field.line = ir__source_line(s, ir, variable, field.file);
	field.is_summed = has_tag(ir, variable, "!\"spin_cluster\"");
	return field.line ? check_type(s, ir, ir__ref(ir, variable, "type: "), &field, 0) : 0;
}

int check__local(const struct spincc *s, const struct ir *ir, const char *variable)
{
	const char *type = ir__ref(ir, variable, "type: ");
	char name[128], file[PATH_MAX];
	struct field field;

	ir__quoted(variable, "name: ", field.name, sizeof(field.name));
	field.line = ir__source_line(s, ir, variable, field.file);
	for (int depth = 0; field.line && type && depth < DEPTH_MAX; type = ir__ref(ir, type, "baseType: "), depth++) {
		ir__quoted(type, "name: ", name, sizeof(name));
		/* size_t and other system typedefs are intentionally as wide as an address on each target */
		if (strstr(type, "DW_TAG_typedef") && !ir__source_line(s, ir, type, file))
			return 0;
		if (strstr(type, "!DIBasicType(") && is_long(name))
			return refuse_long(&field, name, "");
	}
	return 0;
}
