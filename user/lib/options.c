/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Parses argv into the fields of a command's struct, as the command's table of options says (options.h). Called by main() of spincc,
 * spinctl, spind and spin-memcached. Stops at the first invalid word, with a message.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "user/lib/options.h"
#include "user/lib/version.h"

static int usage_error(const struct command_row *command, const char *what, const char *word)
{
	fprintf(stderr, "%s: %s%s%s; see %s --help\n", command->name, what, word ? " " : "", word ? word : "", command->name);
	return OPTIONS_USAGE;
}

/* Reports a value that is not one of the row's choices. */
static int invalid_choice(const struct command_row *command, const struct option_row *row, const char *value)
{
	fprintf(stderr, "%s: %s%s: not '%s', but one of: ", command->name, row->name ? "--" : "-",
		row->name ? row->name : (const char[]){ row->letter, 0 }, value);
	for (const char *c = row->value; *c; c++)
		fputs(*c == '|' ? ", " : (const char[]){ *c, 0 }, stderr);
	fputc('\n', stderr);
	return OPTIONS_USAGE;
}

static int is_choice(const char *choices, const char *value)
{
	size_t length = strlen(value);

	for (const char *c = choices; c; c = strchr(c, '|') ? strchr(c, '|') + 1 : NULL)
		if (strcspn(c, "|") == length && !strncmp(c, value, length))
			return 1;
	return 0;
}

static int append(struct option_list *list, const char *item)
{
	const char **items = realloc(list->items, (list->count + 1) * sizeof(*items));

	if (!items)
		return -ENOMEM;
	items[list->count++] = item;
	list->items = items;
	return 0;
}

/* word: the option as given; its value is part of it or the next word. */
static int store_value(const struct option_row *row, void *fields, const char *value, const char *word)
{
	void *to = (char *)fields + row->offset;
	char *end;

	if (!value)
		value = ""; /* flags have no value */
	switch (row->kind) {
	case OPTION_FLAG:
		*(int *)to = 1;
		return 0;
	case OPTION_UNFLAG:
		*(int *)to = 0;
		return 0;
	case OPTION_STRING:
		*(const char **)to = value;
		return 0;
	case OPTION_UINT: {
		unsigned long n;

		errno = 0;
		n = strtoul(value, &end, 0);
		if (errno || *end || end == value || *value == '-' || n > 0xffffffffu)
			return -EINVAL;
		*(unsigned *)to = (unsigned)n;
		return 0;
	}
	case OPTION_SECONDS: {
		double seconds = strtod(value, &end);

		if (*end || end == value || !isfinite(seconds) || seconds < 0)
			return -EINVAL;
		*(double *)to = seconds;
		return 0;
	}
	case OPTION_LIST:
		return append(to, value);
	case OPTION_WORD:
		if (append(to, word))
			return -ENOMEM;
		return word[2] ? 0 : append(to, value);
	}
	return -EINVAL;
}

static const struct option_row *find_long(const struct option_row *row, const char *name, size_t length)
{
	for (; row->name || row->letter; row++)
		if (row->name && strlen(row->name) == length && !strncmp(row->name, name, length))
			return row;
	return NULL;
}

static const struct option_row *find_letter(const struct option_row *row, char letter)
{
	for (; row->name || row->letter; row++)
		if (row->letter == letter)
			return row;
	return NULL;
}

static int invalid_value(const struct command_row *command, const struct option_row *row, const char *word, const char *value)
{
	fprintf(stderr, "%s: %s: '%s' is %s; see %s --help\n", command->name, word, value ? value : "",
		row->kind == OPTION_SECONDS ? "not a number of seconds, 0 or more" : "not a whole number from 0 on", command->name);
	return OPTIONS_USAGE;
}

static size_t count_rows(const struct command_row *command)
{
	size_t rows = 0;

	while (command->options[rows].name || command->options[rows].letter)
		rows++;
	return rows;
}

enum options_result options__parse(const struct command_row *command, int argc, char **argv, void *fields, const char **operands,
				   unsigned *operand_count)
{
	char given[count_rows(command) + 1]; /* a flag per row */
	int only_operands = 0;

	memset(given, 0, sizeof(given));
	*operand_count = 0;
	for (int i = 1; i < argc; i++) {
		char *word = argv[i];
		const struct option_row *row;
		const char *value = NULL;

		if (only_operands || word[0] != '-' || !word[1]) {
			if (*operand_count == command->max_operands)
				return usage_error(command, "one operand too many:", word);
			operands[(*operand_count)++] = word;
			continue;
		}
		if (!strcmp(word, "--")) {
			only_operands = 1;
			continue;
		}
		if (!strcmp(word, "--help") || !strcmp(word, "-h"))
			return OPTIONS_HELP;
		if (!strcmp(word, "--version"))
			return OPTIONS_VERSION;
		if (word[1] == '-') {
			value = strchr(word, '=');
			row = find_long(command->options, word + 2, value ? (size_t)(value - word - 2) : strlen(word + 2));
			value = value ? value + 1 : NULL;
		} else {
			row = find_letter(command->options, word[1]);
			value = word[2] ? word + 2 : NULL;
		}
		if (!row)
			return usage_error(command, "unknown option", word);
		if (row->value && word[1] != '-' && word[2] == '=')
			return usage_error(command, "no = goes between a letter and its value:", word);
		if (!row->value && value)
			return usage_error(command, "no value goes with", word);
		if (row->value && !value) {
			if (i + 1 == argc)
				return usage_error(command, "a value is missing after", word);
			value = argv[++i];
		}
		if (value && strchr(row->value, '|') && !is_choice(row->value, value))
			return invalid_choice(command, row, value);
		given[row - command->options] = 1;
		if (store_value(row, fields, value, word))
			return invalid_value(command, row, word, value);
	}
	if (*operand_count < command->min_operands)
		return usage_error(command, "missing:", command->operands);
	for (unsigned i = 0; command->options[i].name || command->options[i].letter; i++) {
		char text[OPTION_TEXT_MAX];

		if (command->options[i].required && !given[i]) {
			option__text(&command->options[i], text);
			return usage_error(command, "missing:", text);
		}
	}
	return OPTIONS_OK;
}

void options__free_list(struct option_list *list)
{
	free(list->items);
	*list = (struct option_list){ 0 };
}

void options__version(const char *name)
{
	printf("%s %s\n", name, SPIN_VERSION);
}

/* --- programs with a single command --- */

/* Flushes stdout. Returns the exit status, 1 after a message. */
static int flush_output(const struct command_row *command)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	fprintf(stderr, "%s: cannot write the output: %s\n", command->name, strerror(errno));
	return 1;
}

int options__begin(const struct command_row *command, int argc, char **argv, void *fields, const char **operands, unsigned *operand_count)
{
	const struct command_row *const commands[] = { command };
	const struct program_row program = { command->name, commands, 1 };

	if (argc == 2 && !strcmp(argv[1], OPTIONS_FILL))
		return options__fill(&program, stdin, stdout) != 0;
	switch (options__parse(command, argc, argv, fields, operands, operand_count)) {
	case OPTIONS_HELP:
		options__help(command, stdout);
		return flush_output(command);
	case OPTIONS_VERSION:
		options__version(command->name);
		return flush_output(command);
	case OPTIONS_USAGE:
		return 2;
	default:
		return -1;
	}
}
