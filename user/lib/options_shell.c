/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The tables as bash functions, for user/completion/complete.bash. */
#include <string.h>

#include "user/lib/options_print.h"

/* Values' names are quoted whole; they have no quotes of their own. */
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
	int alone = program->count == 1 && !strcmp(commands[0]->name, program->name);

	fprintf(to, "# The commands there are; none: the program is one.\n_%s_commands='", program->name);
	for (unsigned i = 0; i < program->count && !alone; i++)
		fprintf(to, "%s ", command__word(commands[i]));
	fprintf(to, "%s'\n\n# COMMAND: sets options and operands.\n_%s_command() {\n\tcase $1 in\n", alone ? "" : "help", program->name);
	for (unsigned i = 0; i < program->count; i++) {
		fprintf(to, "\t%s)\n\t\toptions='", command__word(commands[i]));
		put_options(to, commands[i]->options);
		put_options(to, option__common);
		fprintf(to, "'\n\t\toperands='%s'\n\t\t;;\n", commands[i]->operands ? commands[i]->operands : "");
	}
	if (!alone)
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
