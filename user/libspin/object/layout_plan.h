/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_OBJECT_LAYOUT_PLAN_H
#define USER_LIBSPIN_OBJECT_LAYOUT_PLAN_H

/*
 * The plan for copying handlers' state from one struct layout to another: a list of steps, made here from two types, for swap/migrate.c,
 * and run by layout_move.c.
 *
 * Functions return 0 or a negative errno with a reason, which names the field.
 */
#include <stddef.h>
#include <stdint.h>

#include "user/libspin/object/layout.h"

/* What a step copies. */
enum step_kind {
	STEP_BYTES,   /* copied unchanged */
	STEP_WIDER,   /* an unsigned integer that becomes a wider one */
	STEP_ENTRIES, /* entries of an array, by index */
	STEP_TABLE    /* entries of a keyed table, by key: copies the key, and runs the steps for the rest of an entry */
};

/* One step of a plan. */
struct step {
	enum step_kind kind;
	size_t from_at, to_at; /* in the enclosing object: the variable, or an entry */
	size_t bytes;          /* of the old integer, byte range or entry */
	size_t to_bytes;       /* of the new integer or entry */
	uint32_t count;        /* entries that both have; for a table, the old ones */
	uint32_t to_count;     /* entries of the new one */
	uint32_t beyond;       /* entries of the old one beyond those of the new one */
	unsigned steps;        /* number of following steps that belong to an entry */
	char *path;            /* name of entries that may not fit; NULL: they always fit */
};

/* A plan for one variable, and the value that was copied last. */
struct layout_move {
	struct step *step;
	unsigned count, room;
	char *seen; /* the old value as last copied */
	int is_first;
	uint64_t changed;
};

/* Fields missing in the new layout: their names, and how many more there were. */
struct layout_lost {
	char names[512];
	unsigned more;
};
void layout_lost__add(struct layout_lost *lost, const char *name);

/*
 * Fields with the same name correspond. An integer becomes an integer of the same size or, if unsigned and in host byte order, a wider one;
 * a struct spin_counter counts as an integer. Arrays may have more entries or fewer. -EINVAL: a field has an incompatible type. -E2BIG: the
 * types are larger than those of any handler.
 */
int layout_move__plan(const struct btf *from, const struct layout_variable *x, const struct btf *to, const struct layout_variable *y,
		      struct layout_lost *lost, struct layout_move **out);
void layout_move__free(struct layout_move *move);

#endif
