/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The tables as mdoc. */
#include <ctype.h>
#include <string.h>

#include "user/lib/options_print.h"

/* Characters that mean something to roff. */
static void put_escaped(FILE *to, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\\')
			fputs("\\e", to);
		else if (text[i] == '-')
			fputs("\\-", to);
		else
			fputc(text[i], to);
	}
}

/* A line of text; one that starts as a request does is none. */
static void put_line(void *to, const char *line)
{
	if (*line == '.' || *line == '\'')
		fputs("\\&", to);
	put_escaped(to, line, strlen(line));
	fputc('\n', to);
}

/* An argument of a macro; a short word might be a macro's name. */
static void put_argument(FILE *to, const char *word, size_t length)
{
	fprintf(to, " %s", length < 4 && isupper((unsigned char)*word) ? "\\&" : "");
	put_escaped(to, word, length);
}

/* Sentences on lines of their own, paragraphs where an empty line is. */
static void put_text(FILE *to, const char *text)
{
	while (*text) {
		const char *end = text;

		while (*end && *end != '\n' && !(end > text && strchr(".!?", end[-1]) && *end == ' '))
			end++;
		if (end == text)
			fputs(".Pp", to);
		else if (*text == '.' || *text == '\'')
			fputs("\\&", to);
		put_escaped(to, text, (size_t)(end - text));
		fputc('\n', to);
		text = end + (*end != 0);
	}
}

static void put_option(FILE *to, const struct option_row *row)
{
	if (row->letter)
		fprintf(to, "Fl %c%s", row->letter, row->name ? " , " : "");
	if (row->name) {
		fputs("Fl ", to);
		put_escaped(to, "-", 1);
		put_escaped(to, row->name, strlen(row->name));
	}
	if (!row->value)
		return;
	fputs(" Ar", to);
	for (const char *word = row->value; word; word = strchr(word, '|') ? strchr(word, '|') + 1 : NULL) {
		if (word > row->value)
			fputs(" |", to);
		put_argument(to, word, strcspn(word, "|"));
	}
}

/* "FILE.spin [FILE.vec ...]": words, those in brackets optional. */
static void put_operands(FILE *to, const char *operands)
{
	int optional = 0;

	while (operands && *operands) {
		size_t length;

		optional |= *operands == '[';
		operands += *operands == '[';
		length = strcspn(operands, " ]");
		if (length == 3 && !strncmp(operands, "...", 3))
			fputs(" ...", to);
		else
			fputs(optional ? "\n.Op Ar" : "\n.Ar", to);
		if (length != 3 || strncmp(operands, "...", 3))
			put_argument(to, operands, length);
		operands += length;
		optional &= *operands != ']';
		operands += strspn(operands, "] ");
	}
}

void options_man__synopsis(const struct program_row *program, FILE *to)
{
	for (unsigned i = 0; i < program->count; i++) {
		const struct command_row *command = program->commands[i];

		fputs(".Nm", to);
		if (strcmp(command->name, program->name))
			fprintf(to, "\n.Cm %s", command__word(command));
		put_operands(to, command->operands);
		for (const struct option_row *row = command->options; row->name || row->letter; row++) {
			struct option_row one = *row;

			if (!row->required)
				continue;
			if (one.letter)
				one.name = NULL;
			fputs("\n.", to);
			put_option(to, &one);
		}
		fputs("\n.Op Ar options\n", to);
	}
}

void options_man__commands(const struct program_row *program, FILE *to)
{
	for (unsigned i = 0; i < program->count; i++) {
		const struct command_row *command = program->commands[i];

		if (strcmp(command->name, program->name))
			fprintf(to, ".Ss %s\n", command->name);
		put_escaped(to, command->summary, strlen(command->summary));
		fputs(".\n", to);
		if (command->about) {
			fputs(".Pp\n", to);
			put_text(to, command->about);
		}
		fputs(".Bl -tag -width Ds\n", to);
		for (const struct option_row *row = command->options; row->name || row->letter; row++) {
			char help[OPTION_HELP_MAX];

			fputs(".It ", to);
			put_option(to, row);
			fputc('\n', to);
			option__help(row, help);
			put_text(to, help);
		}
		fputs(".El\n", to);
		if (command->notes) {
			fputs(".Pp\n", to);
			put_text(to, command->notes);
		}
	}
}

void options_man__examples(const struct program_row *program, FILE *to)
{
	const char *gap = "";

	for (unsigned i = 0; i < program->count; i++) {
		for (const struct example_row *e = program->commands[i]->examples; e && e->command; e++) {
			fputs(gap, to);
			gap = ".Pp\n";
			put_text(to, e->what);
			fputs(".Bd -literal -offset indent\n", to);
			example__lines(e->command, 68, put_line, to);
			fputs(".Ed\n", to);
		}
	}
}
