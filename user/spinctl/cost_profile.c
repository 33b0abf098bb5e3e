/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Whose cycles: each instruction of the image belongs to the handler, to the
 * wrapper around it, to commands or to the runtime. An instruction inside a
 * function of the handler's file is the handler's, also where it comes from an
 * accessor that was inlined there: then the line is the one that calls it. Else the
 * source file of its line decides.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"

struct image {
	Dwarf *dwarf;
	struct cost_report *report;
	struct cost_line *lines;
	unsigned count, room;
};

static int ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n >= m && !strcmp(path + n - m, end);
}

/* By source file: the files of the image that are not a handler's. */
static enum cost_part part_of_file(const char *file)
{
	if (ends_with(file, "hwmodel/image/command.h"))
		return COST_COMMANDS;
	if (ends_with(file, "hwmodel/image/boot.S"))
		return COST_RUNTIME;
	if (strstr(file, "hwmodel/image/") || strstr(file, "handlers/include/spin/target/"))
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

struct place {
	const char *file;
	int line;
};

/* Where an inlined function is called. */
static struct place call_site(Dwarf_Die *unit, Dwarf_Die *inlined)
{
	struct place site = { NULL, 0 };
	Dwarf_Attribute attribute;
	Dwarf_Word file, line;
	Dwarf_Files *files;
	size_t count;

	if (!dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) &&
	    !dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) &&
	    !dwarf_getsrcfiles(unit, &files, &count) && file < count) {
		site.file = dwarf_filesrc(files, file, NULL, NULL);
		site.line = (int)line;
	}
	return site;
}

/*
 * 1 if a function of the handler's own file encloses the address, and *place, the
 * source of the instruction, becomes the line of that function which it belongs to.
 */
static int in_handler(Dwarf_Die *unit, Dwarf_Addr pc, struct place *place)
{
	struct place at = *place;
	Dwarf_Die *scopes;
	int n = scopes_at(unit, pc, &scopes), found = 0;

	for (int i = 0; i < n && !found; i++) {
		int tag = dwarf_tag(&scopes[i]);
		const char *file;

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		file = dwarf_decl_file(&scopes[i]);
		found = file && part_of_file(file) == COST_USER && !strstr(file, "handlers/include/spin/");
		if (!found && tag == DW_TAG_inlined_subroutine)
			at = call_site(unit, &scopes[i]);
	}
	free(scopes);
	if (found && at.file)
		*place = at;
	return found;
}

static struct cost_line *line_at(struct image *im, const char *file, unsigned number, enum cost_part part)
{
	for (unsigned i = 0; i < im->count; i++)
		if (im->lines[i].line == number && im->lines[i].part == part &&
		    !strcmp(im->lines[i].file, file))
			return &im->lines[i];
	if (im->count == im->room) {
		unsigned room = im->room ? im->room * 2 : 64;
		struct cost_line *lines = realloc(im->lines, room * sizeof(*lines));

		if (!lines)
			return NULL;
		im->lines = lines;
		im->room = room;
	}
	im->lines[im->count] = (struct cost_line){ .file = file, .line = number, .part = part };
	return &im->lines[im->count++];
}

static int charge(struct image *im, uint32_t pc, uint64_t instructions, uint64_t cycles)
{
	enum cost_part part = COST_USER; /* without debug information: libgcc */
	struct place place = { NULL, 0 };
	Dwarf_Die unit;

	if (im->dwarf && dwarf_addrdie(im->dwarf, pc, &unit)) {
		Dwarf_Line *line = dwarf_getsrc_die(&unit, pc);

		if (line) {
			place.file = dwarf_linesrc(line, NULL, NULL);
			dwarf_lineno(line, &place.line);
		}
		if (place.file)
			part = part_of_file(place.file);
		if (part != COST_COMMANDS && in_handler(&unit, pc, &place))
			part = COST_USER;
	}
	im->report->part_instructions_mean[part] += (double)instructions;
	im->report->part_cycles_mean[part] += (double)cycles;
	if (place.file && place.line > 0) {
		struct cost_line *to = line_at(im, place.file, (unsigned)place.line, part);

		if (!to)
			return complain("no memory for the profile");
		to->instructions += instructions;
		to->cycles += cycles;
	}
	return DONE;
}

static int by_cycles(const void *a, const void *b)
{
	const struct cost_line *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? 1 : -1;
	return (x->line > y->line) - (x->line < y->line);
}

/* The line as it stands in the file, without its indentation; NULL if the file is not to be read. */
static char *read_line(const char *file, unsigned number)
{
	FILE *from = fopen(file, "re");
	char *line = NULL, *out = NULL;
	size_t bytes = 0;

	while (from && number && getline(&line, &bytes, from) > 0)
		if (--number == 0) {
			line[strcspn(line, "\n")] = '\0';
			out = strdup(line + strspn(line, " \t"));
		}
	free(line);
	if (from)
		fclose(from);
	return out;
}

static void finish(struct image *im, unsigned top)
{
	struct cost_report *r = im->report;
	double n = r->handled ? (double)r->handled : 1;

	for (unsigned p = 0; p < COST_PARTS; p++) {
		r->part_cycles_mean[p] /= n;
		r->part_instructions_mean[p] /= n;
	}
	if (im->count)
		qsort(im->lines, im->count, sizeof(*im->lines), by_cycles);
	r->lines = im->lines;
	r->line_count = im->count < top ? im->count : top;
	for (unsigned i = 0; i < r->line_count; i++) {
		r->lines[i].text = read_line(r->lines[i].file, r->lines[i].line);
		r->lines[i].file = strdup(r->lines[i].file); /* outlives the DWARF */
	}
}

int cost_profile__sort(const void *image, size_t bytes, const struct rv32_profile *profile,
		       unsigned top, struct cost_report *r)
{
	struct image im = { .report = r };
	int status = DONE;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)image, bytes);
	im.dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
	for (uint32_t i = 0; i < profile->bytes / 2 && !status; i++) {
		uint64_t cycles = 0;

		if (!profile->instructions[i])
			continue;
		for (unsigned c = 0; c < RV32_CAUSE_COUNT; c++)
			cycles += profile->cycles[(size_t)i * RV32_CAUSE_COUNT + c];
		status = charge(&im, profile->addr + 2 * i, profile->instructions[i], cycles);
	}
	finish(&im, top);
	if (im.dwarf)
		dwarf_end(im.dwarf);
	elf_end(elf);
	return status;
}
