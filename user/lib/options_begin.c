/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The beginning of a program that is one command (options.h): what ends with --help, --version or the build's template, ends here. */
#include <errno.h>
#include <string.h>

#include "user/lib/options.h"

/* The exit status after output. */
static int written(const struct command_row *command)
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
		return written(command);
	case OPTIONS_VERSION:
		options__version(command->name);
		return written(command);
	case OPTIONS_USAGE:
		return 2;
	default:
		return -1;
	}
}
