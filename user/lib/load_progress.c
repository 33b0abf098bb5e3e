/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Shows one line on the terminal while the kernel's verifier works, so that a user does not take a long load for a hang. Used by
 * spinctl and spincc.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "user/lib/load_progress.h"
#include "user/lib/printable.h"

#define REPORT_AFTER_S 10 /* after so many seconds a line is printed if stderr is not a terminal */
#define NAME_COLUMNS   32 /* keeps the line within 80 columns: a wrapped line cannot be erased */

#define ERASE "\r\033[K"

static void format_name(const struct load_progress *p, const char *context, char *name, size_t bytes)
{
	const char *file = p->file ? p->file : context, *slash = strrchr(file, '/');

	printable(name, bytes, slash ? slash + 1 : file);
}

void load_progress__print(void *progress, const char *context, const char *program, double seconds)
{
	struct load_progress *p = progress;
	char name[NAME_COLUMNS];

	format_name(p, context, name, sizeof(name));
	if (isatty(STDERR_FILENO)) {
		if (program)
			fprintf(stderr, ERASE "%s: verifying %s of %s: %.0f s", p->command, program, name, seconds);
		else
			fputs(ERASE, stderr);
		fflush(stderr);
		return;
	}
	if (!program || strcmp(p->program, program)) {
		snprintf(p->program, sizeof(p->program), "%s", program ? program : "");
		p->reported = 0;
	}
	if (!program || p->reported || seconds < REPORT_AFTER_S)
		return;
	p->reported = 1;
	fprintf(stderr, "%s: the kernel has been verifying %s of %s for %.0f s; it goes on until it ends or is interrupted\n", p->command,
		program, name, seconds);
}
