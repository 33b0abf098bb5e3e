/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_DWARF_H
#define USER_COST_DWARF_H

/*
 * Maps instructions of a handler's rv32 program to source lines, by its debug information (DWARF). Implemented by profile.c; also used by
 * advise.c. Without debug information the file is NULL.
 */
#include <elfutils/libdw.h>
#include <libelf.h>

#include "user/cost/report.h"

/* A program's debug information. */
struct cost_dwarf {
	Elf *elf;
	Dwarf *dwarf; /* NULL: no debug information */
};
void cost_dwarf__open(struct cost_dwarf *d, const void *elf, size_t bytes);
void cost_dwarf__close(struct cost_dwarf *d);

/* Where an instruction comes from. */
struct cost_place {
	const char *file; /* NULL: unknown; valid until close */
	int line;
	const char *function; /* the enclosing function of the handler; NULL: unknown */
	enum cost_part part;
};
/*
 * Finds the source line and the owner of an instruction. An instruction in a function of the handler's file belongs to the handler. If it
 * comes from an accessor that was inlined there, its line is the line of the call. Otherwise the source file of its line decides.
 */
struct cost_place cost_dwarf__find(const struct cost_dwarf *d, uint32_t pc);

#endif
