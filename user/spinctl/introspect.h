/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_INTROSPECT_H
#define USER_SPINCTL_INTROSPECT_H

/*
 * Reads the data sections (BPF maps) of handlers that any process has loaded, through a read-only mapping. Called by spinctl status, dump
 * and mpq. Needs CAP_SYS_ADMIN.
 */
#include <stddef.h>
#include <stdint.h>

#define INTROSPECT_MAPS_MAX 64 /* the kernel's limit for a program (MAX_USED_MAPS) */

struct btf;

/* A mapped map of another process, and the types of its variables. */
struct introspect_section {
	struct btf *btf;
	char *mem;
	size_t bytes;
	int fd;
};

/* Writes the ids of a program's maps if it has this name (NULL: any). Returns their number, or -ENOENT. */
int introspect__maps(uint32_t id, const char *name, uint32_t maps[INTROSPECT_MAPS_MAX]);
/* Returns the id of the context's program that a ring's program runs (bpf/abi/ring.h); for other programs, id itself. */
uint32_t introspect__ring_context(uint32_t id);
/* Like introspect__maps() for a context's program, which may have any name: the variables in its maps show that it is one. */
int introspect__context_maps(uint32_t id, uint32_t maps[INTROSPECT_MAPS_MAX]);

/* Maps a data section (".bss") read-only. Returns 0, or -ENOENT if the map is not that section. */
int introspect_section__open(uint32_t map_id, const char *name, struct introspect_section *s);
/* Maps a map with this name, without types: section.btf stays NULL. Returns 0, or -ENOENT if it has another name. */
int introspect_map__open(uint32_t map_id, const char *name, struct introspect_section *s);
void introspect_section__close(struct introspect_section *s);
/* Returns the variable with this name and size, or NULL. */
const void *introspect_section__variable(const struct introspect_section *s, const char *name, const char *section, size_t bytes);

#endif
