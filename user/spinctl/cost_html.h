/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPINCTL_COST_HTML_H
#define SPINCTL_COST_HTML_H

/* Parts of the page, each a section. */
#include <stdio.h>

#include "common/svg.h"
#include "cost.h"

void cost_html__throughput(FILE *to, const struct cost_report *r);
void cost_html__latency(FILE *to, const struct cost_report *r);
void cost_html__occupancy(FILE *to, const struct cost_report *r);
void cost_html__cycles(FILE *to, const struct cost_report *r);
void cost_html__lines(FILE *to, const struct cost_report *r);
void cost_html__xpulp(FILE *to, const struct cost_report *r);

/* <h2>, and a table's beginning with its caption and columns, names ended by NULL; a < before one of text, not numbers. */
void html__heading(FILE *to, const char *id, const char *text);
void html__table(FILE *to, const char *caption, const char *const *columns);
void html__row(FILE *to, const char *name); /* its first cell; cells follow, and "</tr>\n" */
void html__cell(FILE *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void html__table_end(FILE *to);

#endif
