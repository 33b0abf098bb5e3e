/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_HTML_H
#define USER_COST_HTML_H

/* Parts of the page, each a section. */
#include <stdio.h>

#include "user/lib/svg.h"
#include "user/cost/report.h"

void cost_html__throughput(FILE *to, const struct cost_report *r);
void cost_html__latency(FILE *to, const struct cost_report *r);
void cost_html__occupancy(FILE *to, const struct cost_report *r);
void cost_html__cycles(FILE *to, const struct cost_report *r);
void cost_html__lines(FILE *to, const struct cost_report *r);
void cost_html__xpulp(FILE *to, const struct cost_report *r);

/* The whole report of a handler, without a heading. */
void cost_html__report(FILE *to, const struct cost_report *r);
/* Notes that go with HPUs over time: of HPUs that switch while a handler waits. */
void cost_html__threads(FILE *to, const struct pspin_traffic *seen);

/* A page up to its <h1>, "A on B", and from there to its end. */
void html__begin(FILE *to, const char *a, const char *b);
void html__end(FILE *to);
/* Writes the page, or leaves the file as it is. DONE or FAILED after a message. */
int html__write(const char *path, void (*print)(FILE *to, const void *what), const void *what);

/*
 * A section's beginning with its heading. r: whose part of the page it is; NULL: of the whole page. Several contexts have
 * the same sections: these have the context's number in their ids.
 */
void html__heading(FILE *to, const struct cost_report *r, const char *id, const char *text);
/* A table's beginning with its caption and columns, names ended by NULL; a < before one of text, not numbers. */
void html__table(FILE *to, const char *caption, const char *const *columns);
void html__row(FILE *to, const char *name); /* its first cell; cells follow, and "</tr>\n" */
void html__cell(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void html__table_end(FILE *to);

#endif
