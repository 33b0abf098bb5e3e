/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_HTML_H
#define USER_COST_HTML_H

/*
 * Writes the HTML page of `spinctl cost --html`: the sections of a report, each by one html_*.c, and helpers for headings, tables and rows.
 * Called by html.c and html_contexts.c.
 */
#include <stdio.h>

#include "user/lib/svg.h"
#include "user/cost/report.h"

void cost_html__throughput(FILE *to, const struct cost_report *r);
void cost_html__latency(FILE *to, const struct cost_report *r);
void cost_html__occupancy(FILE *to, const struct cost_report *r);
void cost_html__cycles(FILE *to, const struct cost_report *r);
void cost_html__lines(FILE *to, const struct cost_report *r);
void cost_html__xpulp(FILE *to, const struct cost_report *r);

/* All sections above for one handler, without a heading. */
void cost_html__report(FILE *to, const struct cost_report *r);
/* Explains the plot of HPUs over time for HPUs that switch threads while a handler waits. */
void cost_html__threads(FILE *to, const struct pspin_traffic *seen);

/* Write the start of the page, including its heading "A on B", and the end of the page. */
void html__begin(FILE *to, const char *a, const char *b);
void html__end(FILE *to);
/* Writes the page, or leaves the file unchanged. Returns DONE, or FAILED after a message. */
int html__write(const char *path, void (*print)(FILE *to, const void *what), const void *what);

/*
 * Begins a section with a heading. r: the report that the section belongs to; NULL: the whole page. With several contexts the
 * sections repeat, so the element's id includes the context's number.
 */
void html__heading(FILE *to, const struct cost_report *r, const char *id, const char *text);
/*
 * Begins a table with its caption and columns. The array of names ends with NULL. A name that starts with '<' is a text column, others
 * are numeric.
 */
void html__table(FILE *to, const char *caption, const char *const *columns);
void html__row(FILE *to, const char *name); /* writes the first cell; the caller writes the others and "</tr>\n" */
void html__cell(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void html__table_end(FILE *to);

#endif
