/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Attributes a handler's cycles to source lines and to parts: each instruction of the HPU's program belongs to the handler, to the wrapper
 * around it, to commands to the NIC, or to the runtime. Called by print.c, which makes the report; advise.c uses its search in the debug
 * information (dwarf.h).
 */
#include <dwarf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/cost/dwarf.h"
#include "user/cost/run.h"
#include "user/lib/printable.h"
#include "user/tool/error.h"

struct sorting {
	struct cost_lines *out;
	unsigned count, room;
};

const char *cost_part_name(enum cost_part part)
{
	static const char *const names[COST_PARTS] = { "user", "wrapper", "commands", "runtime" };

	return names[part];
}

const char *cost_part_text(enum cost_part part)
{
	static const char *const texts[COST_PARTS] = { "the handler's functions and what is inlined into them",
						       "entry, task registers, return codes", "commands to the NIC",
						       "the loop that waits for tasks; not part of the body" };

	return texts[part];
}

int cost_profile__open(const struct cost_program *program, struct rv32_profile *profile)
{
	struct pspin *nic;

	*profile = (struct rv32_profile){ 0 };
	if (cost_program__open(program, &nic))
		return FAILED;
	pspin__program(nic, &profile->addr, &profile->bytes);
	pspin__close(nic);
	profile->instructions = calloc(profile->bytes / 2 + 1, sizeof(*profile->instructions));
	profile->cycles = calloc((profile->bytes / 2 + 1) * (size_t)RV32_CAUSE_COUNT, sizeof(*profile->cycles));
	return profile->instructions && profile->cycles ? DONE : report_error("no memory for the profile");
}

void cost_profile__clear(struct rv32_profile *profile)
{
	memset(profile->instructions, 0, (profile->bytes / 2 + 1) * sizeof(*profile->instructions));
	memset(profile->cycles, 0, (profile->bytes / 2 + 1) * (size_t)RV32_CAUSE_COUNT * sizeof(*profile->cycles));
}

void cost_profile__close(struct rv32_profile *profile)
{
	free(profile->instructions);
	free(profile->cycles);
}

static struct cost_line *find_or_add_line(struct sorting *s, const struct cost_place *place)
{
	struct cost_lines *out = s->out;

	for (unsigned i = 0; i < s->count; i++)
		if (out->lines[i].line == (unsigned)place->line && out->lines[i].part == place->part &&
		    !strcmp(out->lines[i].file, place->file))
			return &out->lines[i];
	if (s->count == s->room) {
		unsigned room = s->room ? s->room * 2 : 64;
		struct cost_line *lines = realloc(out->lines, room * sizeof(*lines));

		if (!lines)
			return NULL;
		out->lines = lines;
		s->room = room;
	}
	out->lines[s->count] = (struct cost_line){ .file = place->file, .line = (unsigned)place->line, .part = place->part };
	return &out->lines[s->count++];
}

static int charge(struct sorting *s, const struct cost_place *place, uint64_t instructions, uint64_t cycles)
{
	struct cost_line *to;

	s->out->part_instructions[place->part] += (double)instructions;
	s->out->part_cycles[place->part] += (double)cycles;
	if (!place->file || place->line <= 0)
		return DONE;
	to = find_or_add_line(s, place);
	if (!to)
		return report_error("no memory for the profile");
	to->instructions += instructions;
	to->cycles += cycles;
	return DONE;
}

static int by_cycles(const void *a, const void *b)
{
	const struct cost_line *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? 1 : -1;
	if (strcmp(x->file, y->file))
		return strcmp(x->file, y->file);
	return x->line != y->line ? (x->line > y->line) - (x->line < y->line) : (int)x->part - (int)y->part;
}

#define LINE_BYTES_MAX 4096

/*
 * Opens a file that the debug information of an object names. The object may be a stranger's, and the text is shown and stored in reports:
 * so only C sources are read, and neither links, devices nor pipes. Returns NULL if it is none or cannot be opened.
 */
static FILE *open_source(const char *file)
{
	const size_t bytes = strlen(file);
	struct stat st;
	FILE *out;
	int fd;

	if (bytes < 3 || (strcmp(file + bytes - 2, ".c") && strcmp(file + bytes - 2, ".h")))
		return NULL;
	fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return NULL;
	out = !fstat(fd, &st) && S_ISREG(st.st_mode) ? fdopen(fd, "r") : NULL;
	if (!out)
		close(fd);
	return out;
}

/* Returns the source line without its indentation, or NULL if the file cannot be read. A longer line ends the search. */
static char *read_line(const char *file, unsigned number)
{
	FILE *from = open_source(file);
	char line[LINE_BYTES_MAX], *out = NULL;

	while (from && number && fgets(line, sizeof(line), from) && (strchr(line, '\n') || feof(from)))
		if (--number == 0) {
			line[strcspn(line, "\n")] = '\0';
			out = strdup(line + strspn(line, " \t"));
		}
	if (from)
		fclose(from);
	return out;
}

/* Sorts the lines, keeps the `top` first ones and copies their names, which must outlive the DWARF data. */
static void keep_top_lines(struct sorting *s, unsigned top)
{
	struct cost_lines *out = s->out;

	if (s->count)
		qsort(out->lines, s->count, sizeof(*out->lines), by_cycles);
	out->count = s->count < top ? s->count : top;
	for (unsigned i = 0; i < out->count; i++) {
		char *file = strdup(out->lines[i].file);

		out->lines[i].text = read_line(out->lines[i].file, out->lines[i].line);
		replace_terminal_controls(out->lines[i].text);
		replace_terminal_controls(file);
		out->lines[i].file = file;
	}
}

int cost_profile__sort(const struct cost_program *program, const struct rv32_profile *profile, unsigned top, struct cost_lines *out)
{
	struct sorting s = { .out = out };
	struct cost_dwarf dwarf;
	int status = DONE;

	cost_dwarf__open(&dwarf, program->elf, program->elf_bytes);
	for (uint32_t i = 0; i < profile->bytes / 2 && !status; i++) {
		struct cost_place place;
		uint64_t cycles = 0;

		if (!profile->instructions[i])
			continue;
		for (unsigned c = 0; c < RV32_CAUSE_COUNT; c++)
			cycles += profile->cycles[(size_t)i * RV32_CAUSE_COUNT + c];
		place = cost_dwarf__find(&dwarf, profile->addr + 2 * i);
		status = charge(&s, &place, profile->instructions[i], cycles);
	}
	keep_top_lines(&s, top);
	cost_dwarf__close(&dwarf);
	return status;
}

void cost_lines__free(struct cost_lines *lines)
{
	for (unsigned i = 0; i < lines->count; i++) {
		free((char *)lines->lines[i].file);
		free(lines->lines[i].text);
	}
	free(lines->lines);
}

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

/* Returns the part that a source file of the image belongs to. */
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

/* Finds the scopes that enclose an address, innermost first, including inlined functions. The caller frees *scopes. */
static int scopes_at(Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die **scopes)
{
	Dwarf_Die *lexical = NULL;
	int n = dwarf_getscopes(unit, pc, &lexical);

	/* above an inlined function dwarf_getscopes() continues with the scope of its definition: restart from the innermost scope */
	*scopes = NULL;
	if (n > 0) {
		n = dwarf_getscopes_die(&lexical[0], scopes);
		free(lexical);
	}
	return n;
}

/* Returns the line where an inlined function is called. */
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
 * Returns 1 if a function of the handler's own file encloses the address, and sets *place to the line of that function. For inlined code
 * that is the line of the call.
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
 * Returns the line of an address, and its unit. Searches the line tables of all units, because .debug_aranges is unreliable: if the
 * linker drops a function, a range of 0 bytes at address 0 remains, which readers take as the end of the table; if it relaxes calls, the
 * ranges of assembler units become too long and cover the functions that follow.
 */
static Dwarf_Line *line_of_pc(Dwarf *dwarf, Dwarf_Addr pc, Dwarf_Die *die)
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

	line = d->dwarf ? line_of_pc(d->dwarf, pc, &unit) : NULL;
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
	replace_terminal_controls(out); /* names of a file that others may have made */
	cost_dwarf__close(&d);
}
