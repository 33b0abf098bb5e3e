/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Applies the options --set, --insert and --insert-from, which set fields of the handlers' state and insert entries into their tables.
 * Called by spinctl run, record, exec and cost, for handlers in the kernel or on the model of a NIC. An error in a file is reported with
 * its line.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spin/libspin.h>

#include "user/lib/printable.h"
#include "user/tool/error.h"
#include "user/tool/fill.h"

/* Converts the result of a target's function to an exit status, with a message. */
static int exit_status(int err, const char *option, const char *word)
{
	return !err ? DONE : err == FILL_REPORTED ? FAILED : report_error("%s %s: %s", option, word, spin_strerror_last());
}

static int insert_option(const struct fill_target *target, const char *word)
{
	const char *colon = strchr(word, ':');
	char table[64];

	if (!colon || colon == word || (size_t)(colon - word) >= sizeof(table))
		return report_error("--insert %s: write TABLE:FIELD=VALUE ...", word);
	snprintf(table, sizeof(table), "%.*s", (int)(colon - word), word);
	return exit_status(target->insert(target->arg, table, colon + 1), "--insert", word);
}

/* Escapes the reason: it may quote the file, whose content is untrusted. */
static int report_line(const char *path, unsigned line)
{
	char reason[512];

	printable(reason, sizeof(reason), spin_strerror_last());
	return report_error("%s:%u: %s", path, line, reason);
}

static int insert_file(const struct fill_target *target, const char *word)
{
	const char *equals = strchr(word, '=');
	char table[64], *line = NULL;
	unsigned number = 0;
	size_t bytes = 0;
	int status = DONE;
	FILE *from;

	if (!equals || equals == word || (size_t)(equals - word) >= sizeof(table))
		return report_error("--insert-from %s: write TABLE=FILE", word);
	snprintf(table, sizeof(table), "%.*s", (int)(equals - word), word);
	from = fopen(equals + 1, "re");
	if (!from)
		return report_error("cannot open %s: %s", equals + 1, strerror(errno));
	while (!status && getline(&line, &bytes, from) > 0) {
		number++;
		line[strcspn(line, "#\r\n")] = '\0';
		if (line[strspn(line, " \t")])
			status = target->insert(target->arg, table, line);
		if (status && status != FILL_REPORTED)
			status = report_line(equals + 1, number);
	}
	if (!status && ferror(from))
		status = report_error("cannot read %s: %s", equals + 1, strerror(errno));
	free(line);
	fclose(from);
	return status;
}

int fill__apply(const struct fill_options *fill, const struct fill_target *target)
{
	int status = DONE;

	for (unsigned i = 0; i < fill->sets.count && !status; i++)
		status = exit_status(target->set(target->arg, fill->sets.items[i]), "--set", fill->sets.items[i]);
	for (unsigned i = 0; i < fill->inserts.count && !status; i++)
		status = insert_option(target, fill->inserts.items[i]);
	for (unsigned i = 0; i < fill->files.count && !status; i++)
		status = insert_file(target, fill->files.items[i]);
	return status;
}
