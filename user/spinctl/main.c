/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl: runs handlers (C functions on packets) on an interface, shows what is running, and counts their cycles on a modelled NIC. main()
 * dispatches to the subcommands, each in a file or directory of its name.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/lib/descriptors.h"
#include "user/lib/load_progress.h"
#include "kernel/share/share.h"
#include "kernel/threaded.h"
#include "user/spinctl/spinctl.h"

/* clang-format off */
static const struct subcommand *const subcommands[] = {
	&run_command,
	&status_command,
	&cost_command,
	&test_command,
	&new_command,
	&record_command,
	&replay_command,
	&recv_command,
	&mpq_command,
	&dump_command,
	&send_command,
	&doctor_command,
	&limits_command,
	&targets_command,
	&check_command,
	&exec_command,
	&list_command,
	&add_command,
	&stop_command,
	&swap_command,
	&rule_command,
	&state_command,
	&table_command,
	&top_command,
};
/* clang-format on */
#define SUBCOMMANDS (sizeof(subcommands) / sizeof(subcommands[0]))

static void overview(FILE *to)
{
	fputs("usage: spinctl COMMAND [options]\n\ncommands:\n", to);
	for (size_t i = 0; i < SUBCOMMANDS; i++) {
		fprintf(to, "  %-8s ", subcommands[i]->name);
		options__wrap(to, 11, subcommands[i]->row->summary);
	}
	fputs("  help     This text, or a command's options\n\n"
	      "`spinctl help COMMAND` shows a command's options.\n"
	      "Exit status: 0 done, 1 failed, 2 usage.\n",
	      to);
}

static const struct subcommand *find(const char *name)
{
	for (size_t i = 0; i < SUBCOMMANDS; i++)
		if (!strcmp(subcommands[i]->name, name))
			return subcommands[i];
	fprintf(stderr, "spinctl: unknown command %s; see spinctl --help\n", name);
	return NULL;
}

/* For the build: generates man pages and shell completion from the option tables. */
static int fill_template(void)
{
	const struct command_row *rows[SUBCOMMANDS];
	const struct program_row program = { "spinctl", rows, SUBCOMMANDS };

	for (size_t i = 0; i < SUBCOMMANDS; i++)
		rows[i] = subcommands[i]->row;
	return options__fill(&program, stdin, stdout) ? report_error("the template: %s", strerror(errno)) : DONE;
}

static int help(int argc, char **argv)
{
	const struct subcommand *command = argc > 2 ? find(argv[2]) : NULL;

	if (argc > 2 && !command)
		return USAGE;
	if (command)
		options__help(command->row, stdout);
	else
		overview(stdout);
	return DONE;
}

static int dispatch(const struct subcommand *command, int argc, char **argv)
{
	const char **operands = calloc((size_t)argc + 1, sizeof(*operands));
	int status = USAGE;
	unsigned count;

	if (!operands)
		return report_error("no memory");
	switch (options__parse(command->row, argc, argv, command->fields, operands, &count)) {
	case OPTIONS_HELP:
		options__help(command->row, stdout);
		status = DONE;
		break;
	case OPTIONS_VERSION:
		options__version("spinctl");
		status = DONE;
		break;
	case OPTIONS_USAGE:
		break;
	case OPTIONS_OK:
		status = command->run(operands, count);
	}
	free(operands);
	return status;
}

static int start(int argc, char **argv)
{
	const struct subcommand *command;

	if (argc < 2) {
		overview(stderr);
		return USAGE;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return help(argc, argv);
	if (!strcmp(argv[1], "--version")) {
		options__version("spinctl");
		return DONE;
	}
	if (!strcmp(argv[1], OPTIONS_FILL))
		return fill_template();
	kernel_threaded__recover();
	kernel_share__recover();
	command = find(argv[1]);
	return command ? dispatch(command, argc - 1, argv + 1) : USAGE;
}

/*
 * The failed write may have been an earlier one inside printf(), whose errno is lost. One more byte makes the error show
 * again. The output is incomplete anyway, so it does not matter if that byte is written.
 */
int main(int argc, char **argv)
{
	struct load_progress progress = { .command = "spinctl" };
	int status;

	signal(SIGPIPE, SIG_IGN); /* a closed pipe then fails the write, which is reported below */
	descriptors_raise_limit();
	spin_set_load_progress(load_progress__print, &progress);
	status = start(argc, argv);
	if ((fflush(stdout) || ferror(stdout)) && status != FAILED)
		status = output_failed();
	return status;
}
