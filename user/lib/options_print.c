/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include "user/lib/options_print.h"
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
 * The last space outside quotes at which the line still fits, one before an option
 * if there is any, or the first after that; 0: none.
 */
static size_t break_at(const char *line, size_t columns)
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

		if (length > room && break_at(command, room))
			length = break_at(command, room);
		snprintf(line, sizeof(line), "%s%.*s%s", indent, (int)length, command, command[length] ? " \\" : "");
		put(arg, line);
		command += length;
		command += strspn(command, " ");
		indent = "    ";
	}
}

static void put_word(const struct program_row *program, const char *word, size_t length, FILE *to)
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
				put_word(program, word, ++length, to);
			else
				fprintf(to, "%.*s", (int)length, word);
			at = word + length;
		}
		fputs(*line == '@' && *at == '\n' ? at + 1 : at, to); /* a table ends its own last line */
	}
	return ferror(from) || fflush(to) || ferror(to) ? -1 : 0;
}
