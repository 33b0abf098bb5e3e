/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_OBJECT_SECTION_H
#define USER_LIBSPIN_OBJECT_SECTION_H

/*
 * The data sections of a BPF object (.data, .bss) as mapped memory: libbpf creates a map for each section. Called by ctx.c and by the
 * loaders of libspin's own programs.
 */
#include <stddef.h>

struct bpf_map;
struct bpf_object;

/* One data section, mapped. */
struct spin_memory {
	char *addr; /* NULL: the object has no such section */
	size_t bytes;
};

/* The map of a section (".rodata"), NULL if there is none. */
struct bpf_map *section__map(const struct bpf_object *object, const char *section);
/* Maps a section of a loaded object; does nothing if there is none. Returns 0, or -errno with a reason that names `who`. */
int section__open(const struct bpf_object *object, const char *section, const char *who, struct spin_memory *out);
/* The same for a given descriptor of its map, which another process has loaded. */
int section__open_fd(const struct bpf_object *object, const char *section, int fd, const char *who, struct spin_memory *out);
void section__close(struct spin_memory *mem);
/* Returns a variable of the section by name; NULL if there is none of this size. */
void *section__variable(const struct bpf_object *object, const char *section, const struct spin_memory *mem, const char *name,
			size_t bytes);

#endif
