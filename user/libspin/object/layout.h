/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_OBJECT_LAYOUT_H
#define USER_LIBSPIN_OBJECT_LAYOUT_H

/*
 * State and tables by name, from an object's BTF. Works on memory that the
 * caller has: mapped from a live context, or copied from the model's. Layouts
 * are the same everywhere, since state has fixed-width fields only. `mem` has all copies of a
 * variable; who has its value instead sets `copies` to 1.
 *
 * Failures are negative errnos with a reason in spin_strerror_last().
 */
#include <stddef.h>
#include <stdint.h>

#include <spin/libspin.h>

struct btf;

struct layout_variable {
	char name[64];
	uint32_t type;        /* BTF id of the variable's type */
	char section[16];     /* ".data", ".bss", ".rodata"; of the message engine ".data.me", too */
	size_t offset, bytes; /* in the section; of one copy */
	unsigned copies;      /* SPIN_PER_CLUSTER: one behind the other, and the value is their sum, word by word; else 1 */
};

/* Copies the variable's value, the sum of all copies at `mem`, to `to`, which has var->bytes. */
void layout__merge(const struct layout_variable *var, const void *mem, void *to);
/* The same of one word at `at` in each. */
uint32_t layout__sum(const struct layout_variable *var, const void *mem, size_t at);
/* Sets the value: the first copy becomes `value`, the others 0. */
void layout__give(const struct layout_variable *var, const void *value, void *mem);

/* -ENOENT: no such variable in a data section. */
int layout__find(const struct btf *btf, const char *name, struct layout_variable *out);

/* State or table number i in the object's order; -ENOENT past the last. The runtime's own variables are left out. */
int layout__nth(const struct btf *btf, unsigned i, struct layout_variable *out);

/* Splits "name.path=value": *path starts at the first character after the name. */
int layout__split(const char *assignment, char *name, size_t name_bytes, const char **path);

/* Sets one scalar of a variable: path is ".rate=100", "[5].port=7000". Scalars are stored at once. */
int layout__set(const struct btf *btf, const struct layout_variable *var, void *mem, const char *path);

/* Inserts into a keyed table or updates an entry; a running handler sees all of a new entry or nothing. */
int layout__insert(const struct btf *btf, const struct layout_variable *table, void *mem, const char *fields);

/* Removes an entry of a keyed table by its key. -ENOENT. */
int layout__delete(const struct btf *btf, const struct layout_variable *table, void *mem, const char *key);

/* The entries of a table, for callers that keep them elsewhere: one behind the other they are the variable, no byte more or less. */
struct layout_table {
	uint32_t entries, entry_bytes;
};
int layout__table(const struct btf *btf, const struct layout_variable *var, struct layout_table *out);
/* Writes the fields that the text names into the caller's entry. -EINVAL: the table's first field is not one of 32 bits. */
int layout__entry(const struct btf *btf, const struct layout_variable *table, const char *fields, void *entry);

/* Types that are looked at where two are compared, at most: what has more counts as different. */
#define LAYOUT_TYPES_MAX 100000u

/* 1: the same fields, of the same names and types, in the same places. */
int layout__same_type(const struct btf *a, uint32_t id_a, const struct btf *b, uint32_t id_b);
/* 1: both lie in the same place, too. */
int layout__same(const struct btf *a, const struct layout_variable *x, const struct btf *b, const struct layout_variable *y);

/* Calls fn for every scalar; stops when fn returns non-zero and returns that. */
int layout__walk(const struct btf *btf, const struct layout_variable *var, const void *mem, int zero_too,
		 int (*fn)(void *arg, const struct spin_field *field), void *arg);

#endif
