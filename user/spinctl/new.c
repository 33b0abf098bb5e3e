/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl new NAME: writes a first handler file and its first test (a vector: packets in, expected results out) from templates/. It never
 * overwrites a file. main.c runs it through new_command.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "user/spinctl/new.h"
#include "user/spinctl/spinctl.h"

#define NAME_MAX_LENGTH 15 /* limit of struct spin_meta */

static struct new_options {
	const char *directory;
} options;

static const struct option_row rows[] = {
	{ "dir", 0, OPTION_STRING, "DIR", offsetof(struct new_options, directory),
	  "the directory to write to (default: the working directory)" },
	{ 0 },
};

static int is_keyword(const char *name)
{
	static const char *const words[] = {
		"auto",   "break",    "case",     "char",     "const", "continue", "default", "do",     "double",
		"else",   "enum",     "extern",   "float",    "for",   "goto",     "if",      "inline", "int",
		"long",   "register", "restrict", "return",   "short", "signed",   "sizeof",  "static", "struct",
		"switch", "typedef",  "union",    "unsigned", "void",  "volatile", "while",   "main",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(name, words[i]))
			return 1;
	return 0;
}

/* The name becomes part of C code, of the object, and of the names of kernel objects. */
static int check_name(const char *name)
{
	const char *reason = NULL;

	if (!isalpha((unsigned char)name[0]))
		reason = "a name starts with a letter";
	for (const char *c = name; *c && !reason; c++)
		if (!isalnum((unsigned char)*c) && *c != '_')
			reason = "a name has letters, digits and _ only; --dir names the directory";
	if (!reason && strlen(name) > NAME_MAX_LENGTH)
		reason = "a name has at most 15 characters";
	if (!reason && (is_keyword(name) || !strncmp(name, "spin_", 5)))
		reason = "C or the handler API has this name already";
	if (reason)
		fprintf(stderr, "spinctl new: %s: %s\n", name, reason);
	return reason ? USAGE : DONE;
}

static int write_text(const char *path, const char *text, const char *name)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644), failed = 0, err;
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w");

	if (!to) {
		err = errno;
		if (fd >= 0)
			close(fd);
		return err == EEXIST ? report_error("%s is there already: choose another name, or remove it", path)
				     : report_error("cannot write %s: %s", path, strerror(err));
	}
	for (const char *at; (at = strstr(text, "NAME")); text = at + 4)
		failed |= fwrite(text, 1, (size_t)(at - text), to) != (size_t)(at - text) || fputs(name, to) < 0;
	failed |= fputs(text, to) < 0;
	err = failed ? errno : 0;
	if (fclose(to) && !err)
		err = errno;
	if (!err)
		return DONE;
	unlink(path);
	return report_error("cannot write %s: %s", path, strerror(err));
}

static int run(const char **operands, unsigned count)
{
	const char *name = operands[0], *directory = options.directory ? options.directory : "", *slash = "";
	char handler[PATH_MAX], vector[PATH_MAX];
	int status = check_name(name);

	(void)count;
	if (status)
		return status;
	if (*directory && directory[strlen(directory) - 1] != '/')
		slash = "/";
	if (snprintf(handler, sizeof(handler), "%s%s%s.c", directory, slash, name) >= (int)sizeof(handler) ||
	    snprintf(vector, sizeof(vector), "%s%s%s.vec", directory, slash, name) >= (int)sizeof(vector))
		return report_error("%s: the path is too long", directory);
	status = write_text(handler, new_template_handler, name);
	if (status)
		return status;
	status = write_text(vector, new_template_vector, name);
	if (status) {
		unlink(handler);
		return status;
	}
	printf("%s and %s are written. Next:\n\n"
	       "  spinctl test %s\n"
	       "  spincc %s -o %s%s%s.spin\n"
	       "  spinctl run %s%s%s.spin --dev eth0 --match \"udp dport 9000\" --state\n",
	       handler, vector, handler, handler, directory, slash, name, directory, slash, name);
	return DONE;
}

static const struct example_row examples[] = {
	{ "spinctl new apples", "Writes apples.c and apples.vec." },
	{ 0 },
};

static const struct command_row row = {
	.name = "spinctl new",
	.operands = "NAME",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Writes a handler to start from, and a vector that tests it",
	.options = rows,
	.notes = "NAME is a C name of at most 15 characters. Files that are there are never overwritten.",
	.about = "The handler counts datagrams and bytes by the first byte of their payload, and has all that a "
		 "handler file has: what it does, the packet, the state, the function, the registration. It builds "
		 "and passes as it is written.",
	.examples = examples,
};

const struct subcommand new_command = { "new", &row, run, &options };

/* The files of templates/, embedded in the program. */

/* clang-format off */
#define EMBED(symbol, path) \
	__asm__(".section .rodata\n" \
		".global " #symbol "\n" \
		".hidden " #symbol "\n" \
		#symbol ":\n" \
		".incbin \"" path "\"\n" \
		".byte 0\n" \
		".previous\n")
/* clang-format on */

EMBED(new_template_handler, "user/spinctl/templates/NAME.c");
EMBED(new_template_vector, "user/spinctl/templates/NAME.vec");
