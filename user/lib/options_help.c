/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include "user/lib/options_print.h"

#define COLUMNS     100
#define TEXT_COLUMN 31 /* where the descriptions of options start */

static void indent(FILE *to, unsigned columns)
{
	fprintf(to, "%*s", (int)columns, "");
}

/* Text from `column` on, the cursor being there; ends its last line. Newlines in it stay. */
static void wrap(FILE *to, unsigned column, const char *text)
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

static void option(FILE *to, const struct option_row *row)
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
	wrap(to, TEXT_COLUMN, help);
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
	wrap(to, 0, summary);
	fputs("\noptions:\n", to);
	for (const struct option_row *row = command->options; row->name || row->letter; row++)
		option(to, row);
	for (const struct option_row *row = option__common; row->name; row++)
		option(to, row);
	if (command->examples)
		fputs("\nexamples:\n", to);
	for (const struct example_row *e = command->examples; e && e->command; e++) {
		example__lines(e->command, COLUMNS - 2, put_line, to);
		indent(to, 6);
		wrap(to, 6, e->what);
	}
	if (command->notes) {
		fputc('\n', to);
		wrap(to, 0, command->notes);
	}
	if (!command->notes || !strstr(command->notes, "Exit status"))
		fputs("\nExit status: 0 done, 1 failed, 2 usage.\n", to);
}
