/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_OBJECT_LAYOUT_H
#define USER_LIBSPIN_OBJECT_LAYOUT_H

/*
 * Accesses handlers' state and tables by name, from an object's type information (BTF). Called by libspin's memory.c, spinctl and tests.
 * The memory is the caller's: mapped from a live context, or copied from the model. Layouts are the same everywhere, since state has
 * fixed-width fields only. `mem` contains all copies of a variable; a caller with only its value sets `copies` to 1.
 *
 * Failures are negative errnos with a reason in spin_strerror_last().
 */
#include <stddef.h>
#include <stdint.h>

#include <spin/libspin.h>

struct btf;

/* A variable of handlers: where it is, and its type. */
struct layout_variable {
	char name[64];
	uint32_t type;        /* BTF id of the variable's type */
	char section[16];     /* ".data", ".bss", ".rodata"; the message engine also has ".data.me" */
	size_t offset, bytes; /* in the section; size of one copy */
	unsigned copies;      /* SPIN_PER_CLUSTER: consecutive copies whose word-wise sum is the value; else 1 */
};

/* Copies the variable's value, the sum of all copies at `mem`, to `to`, which has var->bytes bytes. */
void layout__merge(const struct layout_variable *var, const void *mem, void *to);
/* The same for the word at offset `at` of each copy. */
uint32_t layout__sum(const struct layout_variable *var, const void *mem, size_t at);
/* Sets the value: the first copy becomes `value`, the others 0. */
void layout__assign(const struct layout_variable *var, const void *value, void *mem);

/* Returns -ENOENT if no data section has such a variable. */
int layout__find(const struct btf *btf, const char *name, struct layout_variable *out);

/* State or table number i in the object's order; -ENOENT past the last. The runtime's own variables are left out. */
int layout__nth(const struct btf *btf, unsigned i, struct layout_variable *out);

/* Splits "name.path=value": *path starts at the first character after the name. */
int layout__split(const char *assignment, char *name, size_t name_bytes, const char **path);

/* Sets one scalar of a variable: path is ".rate=100", "[5].port=7000". The scalar is stored in one access. */
int layout__set(const struct btf *btf, const struct layout_variable *var, void *mem, const char *path);

/* Inserts into a keyed table or updates an entry. A running handler sees a new entry completely or not at all. */
int layout__insert(const struct btf *btf, const struct layout_variable *table, void *mem, const char *fields);

/* Removes an entry of a keyed table by its key. -ENOENT. */
int layout__delete(const struct btf *btf, const struct layout_variable *table, void *mem, const char *key);

/* Returns the number and size of a table's entries, for callers that store them elsewhere. The entries make up the whole variable. */
struct layout_table {
	uint32_t entries, entry_bytes;
};
int layout__table(const struct btf *btf, const struct layout_variable *var, struct layout_table *out);
/* Writes the fields that the text names into the caller's entry. -EINVAL: the table's first field is not a 32-bit key. */
int layout__entry(const struct btf *btf, const struct layout_variable *table, const char *fields, void *entry);

/* Types visited in a comparison, at most; larger types count as different. */
#define LAYOUT_TYPES_MAX 100000u

/* Returns 1 if both have the same fields, with the same names and types, at the same offsets. */
int layout__same_type(const struct btf *a, uint32_t id_a, const struct btf *b, uint32_t id_b);
/* Returns 1 if in addition both are in the same section and at the same offset. */
int layout__same(const struct btf *a, const struct layout_variable *x, const struct btf *b, const struct layout_variable *y);

/* Calls fn for every scalar; stops when fn returns non-zero and returns that. */
int layout__walk(const struct btf *btf, const struct layout_variable *var, const void *mem, int zero_too,
		 int (*fn)(void *arg, const struct spin_field *field), void *arg);

#endif
