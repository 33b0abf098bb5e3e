/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Whose cycles: each instruction of the image belongs to the handler, to the wrapper around it, to commands or to the runtime. */
#include <stdlib.h>
#include <string.h>

#include "user/spinctl/cost_dwarf.h"
#include "user/spinctl/cost_run.h"

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
	return profile->instructions && profile->cycles ? DONE : complain("no memory for the profile");
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

static struct cost_line *line_at(struct sorting *s, const struct cost_place *place)
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
	to = line_at(s, place);
	if (!to)
		return complain("no memory for the profile");
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

/* Names are kept for those that are shown: they outlive the DWARF. */
static void finish(struct sorting *s, unsigned top)
{
	struct cost_lines *out = s->out;

	if (s->count)
		qsort(out->lines, s->count, sizeof(*out->lines), by_cycles);
	out->count = s->count < top ? s->count : top;
	for (unsigned i = 0; i < out->count; i++) {
		out->lines[i].text = read_line(out->lines[i].file, out->lines[i].line);
		out->lines[i].file = strdup(out->lines[i].file);
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
	finish(&s, top);
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
