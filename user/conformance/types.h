/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_TYPES_H
#define USER_CONFORMANCE_TYPES_H

/*
 * A handler's state and tables by name and type, and images of that memory. Used by all engines: layouts are the same on each, so
 * one image compares with any of them.
 */
#include "user/libspin/object/layout.h"

#include "user/conformance/engine.h"

struct bpf_object;

struct types {
	struct bpf_object *object;
	const struct btf *btf;
	int messages;    /* 1: the handler takes messages, so it has host memory and matching entries */
	int host_memory; /* 1: it has host memory */
	int me_memory;   /* 1: it reaches more of an entry than its memory: the counter, handlers' own host memory */
	unsigned count;
	struct layout_variable var[ENGINE_SYMBOLS_MAX]; /* `copies` is 1: images have values */
	unsigned copies[ENGINE_SYMBOLS_MAX];            /* of SPIN_PER_CLUSTER, on BPF and in the host build; else 1 */
};

/* From a fat object. 0 or a negative errno with engine_error(). */
int types_open(const char *object, struct types *out);
void types_close(struct types *t);
const struct layout_variable *types_find(const struct types *t, const char *name);

/* The whole memory of a handler, one buffer per symbol in the order of `types`. */
struct image {
	uint8_t *bytes[ENGINE_SYMBOLS_MAX];
};

int image_alloc(const struct types *t, struct image *out);
void image_free(struct image *image);
void image_copy(const struct types *t, struct image *to, const struct image *from);
int image_read(const struct types *t, struct image *to, struct engine *from);
int image_write(const struct types *t, const struct image *from, struct engine *to);

/* What the host has of a context that takes messages; of others that use host memory there is one counter and no entry. */
struct host_image {
	size_t bytes;
	uint8_t *memory;
	unsigned entries, counters;
	uint32_t posted; /* entries that were posted: the next one's serial */
	struct spin_me me[SPIN_MES_MAX];
	struct spin_ct ct[SPIN_MES_MAX];
};

int host_image_alloc(const struct types *t, struct host_image *out, size_t bytes);
void host_image_free(struct host_image *image);
int host_image_read(struct host_image *to, struct engine *from);

/* 0 if equal; else 1, with the first difference: number of the symbol and offset in it. */
int image_differ(const struct types *t, const struct image *a, const struct image *b, unsigned *symbol, size_t *offset);
/* "routes[5].packets" for a byte of a symbol. */
void types_path(const struct types *t, unsigned symbol, size_t offset, char *path, size_t bytes);

#endif
