/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_OBJECT_LAYOUT_TYPE_H
#define USER_LIBSPIN_OBJECT_LAYOUT_TYPE_H

/*
 * Types of handlers' state and tables (from BTF), and paths like ".field[3].x" to their scalars. Used by layout.c, layout_plan.c and
 * user/conformance/difference.c.
 */
#include <bpf/btf.h>

#include <stddef.h>
#include <stdint.h>

/* A type without qualifiers and typedefs. */
struct layout_type {
	const struct btf_type *t;
	uint32_t bytes;
	int network_order; /* spin_be16 or spin_be32 was among the typedefs */
	int is_signed;
};

/* Returns -EINVAL for types that state cannot have. */
int layout_type__resolve(const struct btf *btf, uint32_t id, struct layout_type *out);
int layout_type__is_scalar(const struct layout_type *type);
/* Returns 1 for struct spin_counter, a struct with a single member: it is read and set as that member. */
int layout_type__is_wrapper(const struct layout_type *type);

/* Follows ".field[3].x" from a type; stops at `=` or the end. *at is the offset in bytes. */
int layout_type__follow(const struct btf *btf, uint32_t id, const char **path, struct layout_type *out, size_t *at);

/* Parses text to a scalar of this type, in memory representation. */
int layout_type__parse(const struct layout_type *type, const char *text, uint64_t *raw);
/* Store and load in one access, because handlers may be running. */
void layout_type__store(void *to, unsigned bytes, uint64_t raw);
uint64_t layout_type__load(const void *from, unsigned bytes);

#endif
