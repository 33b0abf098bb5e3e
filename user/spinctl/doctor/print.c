/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Prints the rows of spinctl doctor's report as text of 80 columns, and as JSON. A command in a row is never split. Called by doctor.c. */
#include <string.h>

#include "user/spinctl/doctor/facts.h"

#define WIDTH        80
#define NAME_WIDTH   18
#define FOUND_COLUMN (12 + NAME_WIDTH)
#define LONG_COLUMN  6 /* where a command that is too long for its column starts, so that it can be copied as one line */

/* Returns the bytes of the next word: up to a blank, but a command in back quotes is one word. */
static size_t word_bytes(const char *s)
{
	size_t n = strcspn(s, " "), whole;
	const char *quote = memchr(s, '`', n), *end = quote ? strchr(quote + 1, '`') : NULL;

	if (!end)
		return n;
	whole = (size_t)(end - s);
	whole += strcspn(end, " ");
	return whole < n ? n : whole;
}

/* Prints text wrapped and indented to `column`, where the cursor is. The terminal wraps a command that is longer than a line. */
static void wrap(const char *text, unsigned column)
{
	size_t line = WIDTH - column, used = 0;

	while (*(text += strspn(text, " "))) {
		size_t n = word_bytes(text);

		if (n > line) {
			printf("\n%*s", LONG_COLUMN, "");
			used = line; /* what follows begins a line */
		} else if (used && used + 1 + n > line) {
			printf("\n%*s", (int)column, "");
			used = 0;
		} else if (used) {
			putchar(' ');
			used++;
		}
		fwrite(text, 1, n, stdout);
		used = used + n > line ? line : used + n;
		text += n;
	}
	putchar('\n');
}

static int same_section(const struct doctor_row *a, const struct doctor_row *b)
{
	return !strcmp(a->section, b->section) && !strcmp(a->device, b->device);
}

void doctor_text__print(const struct doctor_report *report)
{
	for (unsigned i = 0; i < report->count; i++) {
		const struct doctor_row *row = &report->rows[i];

		if (!i || !same_section(row, row - 1))
			printf("%s%s%s%s\n", i ? "\n" : "", row->section, *row->device ? " " : "", row->device);
		printf("  %-8s %-*s ", doctor_verdict_name(row->verdict), NAME_WIDTH, row->name);
		wrap(row->found, FOUND_COLUMN);
		if (*row->advice) {
			printf("%*s-> ", FOUND_COLUMN, "");
			wrap(row->advice, FOUND_COLUMN + 3);
		}
	}
	putchar('\n');
	wrap(report->summary, 0);
}

void doctor_json__print(const struct doctor_report *report)
{
	struct json j;

	json_begin(&j, stdout, 1);
	json_object(&j, NULL);
	json_bool(&j, "can_run", report->can_run);
	json_string(&j, "summary", report->summary);
	json_array(&j, "rows");
	for (unsigned i = 0; i < report->count; i++) {
		const struct doctor_row *row = &report->rows[i];

		json_object(&j, NULL);
		json_string(&j, "section", row->section);
		json_string(&j, "device", *row->device ? row->device : NULL);
		json_string(&j, "name", row->name);
		json_string(&j, "verdict", doctor_verdict_name(row->verdict));
		json_string(&j, "found", row->found);
		json_string(&j, "advice", *row->advice ? row->advice : NULL);
		json_string(&j, "about", row->about);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}
