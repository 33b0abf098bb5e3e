/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_OBJECT_LAYOUT_PLAN_H
#define USER_LIBSPIN_OBJECT_LAYOUT_PLAN_H

/*
 * How a value gets from one layout to another: steps, which are made from two types here, and which layout_move.c runs.
 *
 * Functions return 0 or a negative errno with a reason, which names the field.
 */
#include <stddef.h>
#include <stdint.h>

#include "user/libspin/object/layout.h"

enum step_kind {
	STEP_BYTES,   /* as they are */
	STEP_WIDER,   /* an unsigned integer that becomes a wider one */
	STEP_ENTRIES, /* of an array, by index */
	STEP_TABLE    /* of a table with keys, by key: the key, and the steps for the rest of an entry */
};

struct step {
	enum step_kind kind;
	size_t from_at, to_at; /* in what it is part of: the variable, or an entry */
	size_t bytes;          /* of the old integer, bytes or entry */
	size_t to_bytes;       /* of the new integer or entry */
	uint32_t count;        /* entries that both have; of a table, the old ones */
	uint32_t to_count;     /* entries of the new one */
	uint32_t beyond;       /* entries of the old one that the new one has not */
	unsigned steps;        /* those behind it that are of an entry */
	char *path;            /* of entries that may find no place; NULL: they do */
};

struct layout_move {
	struct step *step;
	unsigned count, room;
	char *seen; /* the old value, as it was taken the last time */
	int is_first;
	uint64_t changed;
};

/* Fields that find no place in the new layout: their names, and how many more there were. */
struct layout_lost {
	char names[512];
	unsigned more;
};
void layout_lost__add(struct layout_lost *lost, const char *name);

/*
 * Fields of one name belong together. Integers become integers of the same size, or, unsigned ones in host byte order, wider ones;
 * a struct spin_counter is an integer. Arrays may have more entries or fewer. -EINVAL: a field has an incompatible type. -E2BIG: the types
 * are larger than any that handlers have.
 */
int layout_move__plan(const struct btf *from, const struct layout_variable *x, const struct btf *to, const struct layout_variable *y,
		      struct layout_lost *lost, struct layout_move **out);
void layout_move__free(struct layout_move *move);

#endif
