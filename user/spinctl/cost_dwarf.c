/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/spinctl/cost_dwarf.h"
#include "user/spinctl/cost_run.h"

void cost_dwarf__open(struct cost_dwarf *d, const void *elf, size_t bytes)
{
	elf_version(EV_CURRENT);
	d->elf = elf_memory((char *)elf, bytes);
	d->dwarf = d->elf ? dwarf_begin_elf(d->elf, DWARF_C_READ, NULL) : NULL;
}

void cost_dwarf__close(struct cost_dwarf *d)
{
	if (d->dwarf)
		dwarf_end(d->dwarf);
	elf_end(d->elf);
}

static int ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n >= m && !strcmp(path + n - m, end);
}

/* By source file: the files of the image that are not a handler's. */
static enum cost_part part_of_file(const char *file)
{
	if (ends_with(file, "hwmodel/image/command.h") || ends_with(file, "handlers/include/pspin/commands.h"))
		return COST_COMMANDS;
	if (ends_with(file, "hwmodel/image/boot.S"))
		return COST_RUNTIME;
	if (strstr(file, "hwmodel/image/") || strstr(file, "handlers/include/spin/target/") || strstr(file, "handlers/include/pspin/"))
		return COST_WRAPPER;
	return COST_USER;
}

/* The functions around an address, inlined ones as they were inlined; the caller frees. */
static int scopes_at(Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die **scopes)
{
	Dwarf_Die *lexical = NULL;
	int n = dwarf_getscopes(unit, pc, &lexical);

	/* past an inlined function these go on where it was written: start from the innermost again */
	*scopes = NULL;
	if (n > 0) {
		n = dwarf_getscopes_die(&lexical[0], scopes);
		free(lexical);
	}
	return n;
}

/* Where an inlined function is called. */
static struct cost_place call_site(Dwarf_Die *unit, Dwarf_Die *inlined)
{
	struct cost_place site = { 0 };
	Dwarf_Attribute attribute;
	Dwarf_Word file, line;
	Dwarf_Files *files;
	size_t count;

	if (!dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) &&
	    !dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) && !dwarf_getsrcfiles(unit, &files, &count) &&
	    file < count) {
		site.file = dwarf_filesrc(files, file, NULL, NULL);
		site.line = (int)line;
	}
	return site;
}

/*
 * 1 if a function of the handler's own file encloses the address, and *place, the
 * source of the instruction, becomes the line of that function which it belongs to.
 */
static int in_handler(Dwarf_Die *unit, Dwarf_Addr pc, struct cost_place *place)
{
	struct cost_place at = *place;
	Dwarf_Die *scopes;
	int n = scopes_at(unit, pc, &scopes), found = 0;

	for (int i = 0; i < n && !found; i++) {
		int tag = dwarf_tag(&scopes[i]);
		const char *file;

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		file = dwarf_decl_file(&scopes[i]);
		found = file && part_of_file(file) == COST_USER && !strstr(file, "handlers/include/spin/");
		if (found)
			at.function = dwarf_diename(&scopes[i]);
		else if (tag == DW_TAG_inlined_subroutine)
			at = call_site(unit, &scopes[i]);
	}
	free(scopes);
	if (found && at.file)
		*place = at;
	return found;
}

/*
 * The line of an address, and its unit. Each unit is asked, and its lines decide: a linker that drops a function leaves a
 * range of no bytes at 0 in .debug_aranges, which ends that table for its readers, and one that shortens calls leaves the
 * ranges of an assembler's unit too long, over the functions behind it.
 */
static Dwarf_Line *line_at(Dwarf *dwarf, Dwarf_Addr pc, Dwarf_Die *die)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Line *line;

	while (!dwarf_get_units(dwarf, unit, &unit, NULL, NULL, die, NULL)) {
		line = dwarf_haspc(die, pc) == 1 ? dwarf_getsrc_die(die, pc) : NULL;
		if (line)
			return line;
	}
	return NULL;
}

struct cost_place cost_dwarf__find(const struct cost_dwarf *d, uint32_t pc)
{
	struct cost_place place = { .part = COST_USER }; /* without debug information: libgcc */
	Dwarf_Line *line;
	Dwarf_Die unit;

	line = d->dwarf ? line_at(d->dwarf, pc, &unit) : NULL;
	if (!line)
		return place;
	place.file = dwarf_linesrc(line, NULL, NULL);
	dwarf_lineno(line, &place.line);
	if (place.file)
		place.part = part_of_file(place.file);
	if (place.part != COST_COMMANDS && in_handler(&unit, pc, &place))
		place.part = COST_USER;
	return place;
}

void cost_place(const struct cost_program *program, uint32_t pc, char *out, size_t out_bytes)
{
	struct cost_place place = { 0 };
	struct cost_dwarf d;

	out[0] = '\0';
	if (!pc)
		return;
	cost_dwarf__open(&d, program->elf, program->elf_bytes);
	place = cost_dwarf__find(&d, pc);
	if (place.file)
		snprintf(out, out_bytes, "%s:%d%s%s (pc 0x%08x)", place.file, place.line, place.function ? " in " : "",
			 place.function ? place.function : "", pc);
	else
		snprintf(out, out_bytes, "pc 0x%08x", pc);
	cost_dwarf__close(&d);
}
