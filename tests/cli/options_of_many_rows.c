/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the option parser of the commands (user/lib/options.h) with more than 64 options: a required option must be enforced, and accepted,
 * in any row of the table. Run by tests/run.
 */
#include <stdio.h>

#include "tests/common/expect.h"

#include "user/lib/options.h"

#define ROWS 80

static struct option_row rows[ROWS + 1]; /* the last one terminates the table */
static char names[ROWS][16];

static void parse(int want, const char *option, const char *what)
{
	const struct command_row command = { .name = "many", .operands = "", .options = rows, .summary = "" };
	char word[32];
	char *argv[] = { "many", word, NULL };
	int fields[ROWS] = { 0 };
	const char *operands[2];
	unsigned count;

	snprintf(word, sizeof(word), "--%s", option);
	expect(want, (long long)options__parse(&command, 2, argv, fields, operands, &count), what);
}

int main(void)
{
	for (unsigned i = 0; i < ROWS; i++) {
		snprintf(names[i], sizeof(names[i]), "row%u", i);
		rows[i] = (struct option_row){ .name = names[i], .kind = OPTION_FLAG, .offset = i * sizeof(int), .help = "" };
	}
	for (unsigned must = 0; must < ROWS; must++) {
		rows[must].required = 1;
		for (unsigned i = 0; i < ROWS; i++)
			parse(i == must ? OPTIONS_OK : OPTIONS_USAGE, names[i], names[must]);
		rows[must].required = 0;
	}
	return 0;
}
