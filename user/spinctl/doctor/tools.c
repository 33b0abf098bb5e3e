/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl doctor: the table of checks of tools: compilers that spincc runs, and others. Run by exam.c. Each function fills one row of the
 * report: the version that `TOOL --version` prints, or the package to install.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user/spinctl/doctor/facts.h"

#define READ_TIMEOUT_MS 5000

/* Reads the output of `TOOL --version` until it ends or a read times out. */
static void read_output(int from, char *out, size_t bytes)
{
	size_t have = 0;
	struct pollfd p = { .fd = from, .events = POLLIN };
	ssize_t n = 1;

	while (n > 0 && have < bytes - 1 && poll(&p, 1, READ_TIMEOUT_MS) > 0) {
		n = read(from, out + have, bytes - 1 - have);
		have += n > 0 ? (size_t)n : 0;
	}
	out[have] = '\0';
}

/* Returns 0 and the first bytes - 1 bytes of the output, or -errno. */
static int run_version(const char *tool, char *out, size_t bytes)
{
	char *argv[] = { (char *)tool, "--version", NULL };
	posix_spawn_file_actions_t actions;
	int ends[2], err, status = 0;
	pid_t pid;

	out[0] = '\0';
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	err = posix_spawnp(&pid, tool, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (!err) {
		read_output(ends[0], out, bytes);
		kill(pid, SIGKILL); /* its output is read, or it hangs */
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	return -err;
}

/* Reduces the output to its first word with a dot between digits, "14.0.6", or else to its first line. */
static void extract_version(char *out)
{
	for (char *at = out; *at; at++) {
		if (!isdigit((unsigned char)*at) || (at > out && !isspace((unsigned char)at[-1])))
			continue;
		size_t n = strspn(at, "0123456789.");

		if (memchr(at, '.', n)) {
			memmove(out, at, n);
			out[n] = '\0';
			return;
		}
	}
	out[strcspn(out, "\n")] = '\0';
}

static void check_tool(struct doctor_row *row, const char *variable, const char *name, const char *package, enum doctor_verdict if_missing,
		       const char *use)
{
	const char *set = variable ? getenv(variable) : NULL, *program = set && *set ? set : name;
	char out[1001];
	int err = run_version(program, out, sizeof(out));

	if (err) {
		doctor__found(row, if_missing, "%s: %s; %s", program, strerror(-err), use);
		doctor__advise(row, "`apt install %s`", package);
		return;
	}
	extract_version(out);
	doctor__found(row, DOCTOR_OK, "%s %.60s", program, *out ? out : "(says no version)");
}

static void clang(const struct doctor_facts *f, struct doctor_row *row)
{
	(void)f;
	check_tool(row, "CLANG", "clang", "clang", DOCTOR_WARNING, "spincc cannot build handlers without");
}

static void riscv_gcc(const struct doctor_facts *f, struct doctor_row *row)
{
	(void)f;
	check_tool(row, "RISCV_CC", "riscv64-unknown-elf-gcc", "gcc-riscv64-unknown-elf", DOCTOR_WARNING,
		   "spincc cannot build the HPU's half of an object without");
}

static void gcc(const struct doctor_facts *f, struct doctor_row *row)
{
	(void)f;
	check_tool(row, "CC", "gcc", "gcc", DOCTOR_NOTE, "only `spincc --target host` and the project itself need it");
}

static void objdump(const struct doctor_facts *f, struct doctor_row *row)
{
	(void)f;
	check_tool(row, NULL, "llvm-objdump", "llvm", DOCTOR_NOTE, "it shows the instructions of a handler, nothing else");
}

static void model(const struct doctor_facts *f, struct doctor_row *row)
{
	(void)f;
	doctor__found(row, DOCTOR_OK, "built in: `spinctl cost` needs no tool, no root and no BPF");
}

/* clang-format off */
const struct doctor_check doctor_tools_checks[] = {
	{ "clang", "Compiles the BPF half of a handler's object.", clang },
	{ "RISC-V gcc", "Compiles the half that the model and PsPIN's HPUs run.", riscv_gcc },
	{ "gcc", "Compiles handlers for the host, to test them there, and this project.", gcc },
	{ "llvm-objdump", "Shows the instructions of a BPF object.", objdump },
	{ "model", "Counts a handler's HPU cycles.", model },
	{ 0 },
};
/* clang-format on */
