/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Prints help, man page sections and completion from a command's table of options (options.h). Called by options.c and programs' main(). */
#include <ctype.h>
#include <string.h>

#include "user/lib/options.h"
#include "user/lib/version.h"

const struct option_row option__common[] = {
	{ "help", 'h', OPTION_FLAG, NULL, 0, "this text" },
	{ "version", 0, OPTION_FLAG, NULL, 0, "the version" },
	{ 0 },
};

void option__help(const struct option_row *row, char text[OPTION_HELP_MAX])
{
	snprintf(text, OPTION_HELP_MAX, "%s%s", row->help, row->required ? " (required)" : "");
}

void option__text(const struct option_row *row, char text[OPTION_TEXT_MAX])
{
	const char *gap = row->value ? " " : "";
	const char *value = row->value ? row->value : "";

	if (row->letter)
		snprintf(text, OPTION_TEXT_MAX, "-%c%s%s", row->letter, gap, value);
	else
		snprintf(text, OPTION_TEXT_MAX, "--%s%s%s", row->name, gap, value);
}

const char *command__word(const struct command_row *command)
{
	const char *space = strrchr(command->name, ' ');

	return space ? space + 1 : command->name;
}

/*
 * Returns the last space outside quotes at which the line still fits, preferably one before an option; if none fits, the
 * first space; 0 if there is none.
 */
static size_t find_break(const char *line, size_t columns)
{
	size_t at = 0, option = 0;
	char quote = 0;

	for (size_t i = 0; line[i]; i++) {
		if (quote)
			quote = line[i] == quote ? 0 : quote;
		else if (line[i] == '\'' || line[i] == '"')
			quote = line[i];
		else if (line[i] == ' ' && (i + 2 <= columns || !at))
			at = i;
		if (at == i && (line[i + 1] == '-' || line[i + 1] == '&'))
			option = i;
		if (at && i >= columns)
			break;
	}
	return option ? option : at;
}

void example__lines(const char *command, unsigned columns, void (*put)(void *arg, const char *line), void *arg)
{
	const char *indent = "";

	while (*command) {
		size_t length = strlen(command), room = columns - strlen(indent);
		char line[1024];

		if (length > room && find_break(command, room))
			length = find_break(command, room);
		snprintf(line, sizeof(line), "%s%.*s%s", indent, (int)length, command, command[length] ? " \\" : "");
		put(arg, line);
		command += length;
		command += strspn(command, " ");
		indent = "    ";
	}
}

static void expand_word(const struct program_row *program, const char *word, size_t length, FILE *to)
{
	static const struct {
		const char *word;
		void (*print)(const struct program_row *program, FILE *to);
	} words[] = {
		{ "@SYNOPSIS@", options_man__synopsis },
		{ "@COMMANDS@", options_man__commands },
		{ "@EXAMPLES@", options_man__examples },
		{ "@TABLES@", options_shell__tables },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i].word) == length && !strncmp(words[i].word, word, length)) {
			words[i].print(program, to);
			return;
		}
	}
	if (!strncmp(word, "@NAME@", length))
		fputs(program->name, to);
	else if (!strncmp(word, "@VERSION@", length))
		fputs(SPIN_VERSION, to);
	else
		fprintf(to, "%.*s", (int)length, word);
}

int options__fill(const struct program_row *program, FILE *from, FILE *to)
{
	char line[1024];

	while (fgets(line, sizeof(line), from)) {
		const char *at = line, *word;

		while ((word = strchr(at, '@'))) {
			size_t length = 1 + strspn(word + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

			fprintf(to, "%.*s", (int)(word - at), at);
			if (length > 1 && word[length] == '@')
				expand_word(program, word, ++length, to);
			else
				fprintf(to, "%.*s", (int)length, word);
			at = word + length;
		}
		fputs(*line == '@' && *at == '\n' ? at + 1 : at, to); /* the replacement has ended its own last line */
	}
	return ferror(from) || fflush(to) || ferror(to) ? -1 : 0;
}

#define COLUMNS     80
#define TEXT_COLUMN 31 /* where the descriptions of options start */

static void indent(FILE *to, unsigned columns)
{
	fprintf(to, "%*s", (int)columns, "");
}

void options__wrap(FILE *to, unsigned column, const char *text)
{
	unsigned at = column;

	while (*text) {
		size_t word = strcspn(text, " \n"), gap = at > column;

		if (gap && at + gap + word > COLUMNS) {
			fputc('\n', to);
			indent(to, column);
			at = column;
			gap = 0;
		}
		fprintf(to, "%s%.*s", gap ? " " : "", (int)word, text);
		at += gap + word;
		text += word;
		if (*text == '\n') {
			fputc('\n', to);
			indent(to, column);
			at = column;
		}
		text += *text != 0;
	}
	fputc('\n', to);
}

static void print_option(FILE *to, const struct option_row *row)
{
	char left[OPTION_TEXT_MAX], help[OPTION_HELP_MAX];

	if (row->name)
		snprintf(left, sizeof(left), "  %c%c%s--%s%s%s", row->letter ? '-' : ' ', row->letter ? row->letter : ' ',
			 row->letter ? ", " : "  ", row->name, row->value ? " " : "", row->value ? row->value : "");
	else
		snprintf(left, sizeof(left), "  -%c%s%s", row->letter, row->value ? " " : "", row->value ? row->value : "");
	if (strlen(left) + 1 < TEXT_COLUMN) {
		fprintf(to, "%-*s", TEXT_COLUMN, left);
	} else {
		fprintf(to, "%s\n", left);
		indent(to, TEXT_COLUMN);
	}
	option__help(row, help);
	options__wrap(to, TEXT_COLUMN, help);
}

static void put_line(void *to, const char *line)
{
	fprintf(to, "  %s\n", line);
}

void options__help(const struct command_row *command, FILE *to)
{
	char summary[512];

	fprintf(to, "usage: %s", command->name);
	if (command->operands)
		fprintf(to, " %s", command->operands);
	for (const struct option_row *row = command->options; row->name || row->letter; row++) {
		char text[OPTION_TEXT_MAX];

		if (!row->required)
			continue;
		option__text(row, text);
		fprintf(to, " %s", text);
	}
	fputs(" [options]\n\n", to);
	snprintf(summary, sizeof(summary), "%s.", command->summary);
	options__wrap(to, 0, summary);
	fputs("\noptions:\n", to);
	for (const struct option_row *row = command->options; row->name || row->letter; row++)
		print_option(to, row);
	for (const struct option_row *row = option__common; row->name; row++)
		print_option(to, row);
	if (command->examples)
		fputs("\nexamples:\n", to);
	for (const struct example_row *e = command->examples; e && e->command; e++) {
		example__lines(e->command, COLUMNS - 2, put_line, to);
		indent(to, 6);
		options__wrap(to, 6, e->what);
	}
	if (command->notes) {
		fputc('\n', to);
		options__wrap(to, 0, command->notes);
	}
	if (!command->notes || !strstr(command->notes, "Exit status"))
		fputs("\nExit status: 0 done, 1 failed, 2 usage.\n", to);
}

/* The tables as mdoc. */

/* Escapes characters that are special in roff. */
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

/* Prints a line of text. One that begins like a request is escaped. */
static void put_man_line(void *to, const char *line)
{
	if (*line == '.' || *line == '\'')
		fputs("\\&", to);
	put_escaped(to, line, strlen(line));
	fputc('\n', to);
}

/* Prints an argument of a macro. A short word in capitals is escaped: it may be a macro's name. */
static void put_argument(FILE *to, const char *word, size_t length)
{
	fprintf(to, " %s", length < 4 && isupper((unsigned char)*word) ? "\\&" : "");
	put_escaped(to, word, length);
}

/* Prints each sentence on its own line, and begins a paragraph at an empty line. */
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
			example__lines(e->command, 68, put_man_line, to);
			fputs(".Ed\n", to);
		}
	}
}

/* The tables as bash functions, for user/completion/complete.bash. */

/* The value's name is put in single quotes; it contains none. */
static void put_value(FILE *to, const char *command, const struct option_row *row)
{
	if (!row->value)
		return;
	fputs("\t", to);
	if (row->name)
		fprintf(to, "\"%s --%s\"", command, row->name);
	if (row->letter)
		fprintf(to, "%s\"%s -%c\"", row->name ? " | " : "", command, row->letter);
	fprintf(to, ") value='%s' ;;\n", row->value);
}

static void put_options(FILE *to, const struct option_row *row)
{
	for (; row->name || row->letter; row++) {
		if (row->name)
			fprintf(to, " --%s", row->name);
		if (row->letter)
			fprintf(to, " -%c", row->letter);
	}
}

void options_shell__tables(const struct program_row *program, FILE *to)
{
	const struct command_row *const *commands = program->commands;
	int is_single = program->count == 1 && !strcmp(commands[0]->name, program->name);

	fprintf(to, "# The commands there are; none: the program is one.\n_%s_commands='", program->name);
	for (unsigned i = 0; i < program->count && !is_single; i++)
		fprintf(to, "%s ", command__word(commands[i]));
	fprintf(to, "%s'\n\n# COMMAND: sets options and operands.\n_%s_command() {\n\tcase $1 in\n", is_single ? "" : "help",
		program->name);
	for (unsigned i = 0; i < program->count; i++) {
		fprintf(to, "\t%s)\n\t\toptions='", command__word(commands[i]));
		put_options(to, commands[i]->options);
		put_options(to, option__common);
		fprintf(to, "'\n\t\toperands='%s'\n\t\t;;\n", commands[i]->operands ? commands[i]->operands : "");
	}
	if (!is_single)
		fputs("\thelp)\n\t\toptions=\n\t\toperands='COMMAND'\n\t\t;;\n", to);
	fprintf(to,
		"\tesac\n}\n\n# COMMAND OPTION: sets value to the name of what the option takes.\n"
		"_%s_value() {\n\tvalue=\n\tcase \"$1 $2\" in\n",
		program->name);
	for (unsigned i = 0; i < program->count; i++)
		for (const struct option_row *row = commands[i]->options; row->name || row->letter; row++)
			put_value(to, command__word(commands[i]), row);
	fputs("\tesac\n}\n", to);
}
