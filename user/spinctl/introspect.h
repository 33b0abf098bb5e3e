/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_INTROSPECT_H
#define USER_SPINCTL_INTROSPECT_H

/* Reads the data sections of a loaded sPIN program of any process through a read-only mapping. Needs CAP_SYS_ADMIN. */
#include <stddef.h>
#include <stdint.h>

#define INTROSPECT_MAPS_MAX 64

struct btf;

struct introspect_section {
	struct btf *btf;
	char *mem;
	size_t bytes;
	int fd;
};

/* The ids of a program's maps if it has this name (NULL: any): how many, or -ENOENT. */
int introspect__maps(uint32_t id, const char *name, uint32_t maps[INTROSPECT_MAPS_MAX]);
/* The context's program that a ring's program runs (bpf/abi/ring.h); else the program itself. */
uint32_t introspect__behind_ring(uint32_t id);
/* The same of a context's program, whose name is the context's: whether it is one show the variables in its maps. */
int introspect__context_maps(uint32_t id, uint32_t maps[INTROSPECT_MAPS_MAX]);

/* A map if it is the data section wanted (".bss"); -ENOENT if not. */
int introspect_section__open(uint32_t map_id, const char *name, struct introspect_section *s);
/* A map of this name, without types: section.btf stays NULL. -ENOENT if it is another. */
int introspect_map__open(uint32_t map_id, const char *name, struct introspect_section *s);
void introspect_section__close(struct introspect_section *s);
/* A variable by name, if it has this size; NULL if not. */
const void *introspect_section__variable(const struct introspect_section *s, const char *name, const char *section, size_t bytes);

#endif
