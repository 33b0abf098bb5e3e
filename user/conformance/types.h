/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_TYPES_H
#define USER_CONFORMANCE_TYPES_H

/*
 * A handler's state and tables by name and type, and images (copies) of their memory. Used by tests, vectors and spinctl replay. All
 * engines (kernel, host build, model) have the same layouts, so an image can be compared with that of any other engine.
 */
#include "user/libspin/object/layout.h"

#include "user/conformance/engine.h"

struct bpf_object;

/* The variables of an object, by name and type. */
struct types {
	struct bpf_object *object;
	const struct btf *btf;
	int messages;    /* 1: the handler takes messages, so it has host memory and matching entries */
	int segments;    /* 1: the handler takes TCP segments, so it has connections */
	int host_memory; /* 1: it has host memory */
	int me_memory;   /* 1: it also accesses the entry's counter or the handlers' own host memory */
	unsigned count;
	struct layout_variable var[ENGINE_SYMBOLS_MAX]; /* var[i].copies is 1: images hold values, not copies */
	unsigned copies[ENGINE_SYMBOLS_MAX];            /* copies of SPIN_PER_CLUSTER memory in BPF and the host build; else 1 */
};

/* Reads the types of a fat object. Returns 0 or a negative errno with engine_error(). */
int types_open(const char *object, struct types *out);
void types_close(struct types *t);
const struct layout_variable *types_find(const struct types *t, const char *name);

/* The whole memory of a handler: one buffer per symbol, in the order of struct types. */
struct image {
	uint8_t *bytes[ENGINE_SYMBOLS_MAX];
};

int image_alloc(const struct types *t, struct image *out);
void image_free(struct image *image);
void image_copy(const struct types *t, struct image *to, const struct image *from);
int image_read(const struct types *t, struct image *to, struct engine *from);
int image_write(const struct types *t, const struct image *from, struct engine *to);

/* The host's state of a context: host memory, matching entries, counters. Without messages there is one counter and no entry. */
struct host_image {
	size_t bytes;
	uint8_t *memory;
	unsigned entries, counters;
	uint32_t posted; /* number of entries posted so far; the next entry's serial */
	struct spin_me me[SPIN_MES_MAX];
	struct spin_ct ct[SPIN_MES_MAX];
};

int host_image_alloc(const struct types *t, struct host_image *out, size_t bytes);
void host_image_free(struct host_image *image);
int host_image_read(struct host_image *to, struct engine *from);

/* Returns 0 if equal; else 1, and the symbol's index and the offset of the first difference. */
int image_differ(const struct types *t, const struct image *a, const struct image *b, unsigned *symbol, size_t *offset);
/* Formats the path of a byte of a symbol: "routes[5].packets". */
void types_path(const struct types *t, unsigned symbol, size_t offset, char *path, size_t bytes);

#endif
