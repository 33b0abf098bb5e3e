/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_TABLES_H
#define USER_COST_TABLES_H

/*
 * The tables in a report of spinctl cost. Each column is described once: its names in JSON, in text and on the page, its unit and its
 * value. text.c, json.c and html_*.c print the tables. To add a value to the report, add a field to report.h and a line to tables.c.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "user/cost/report.h"

/* The type at the offset: uint64_t, unsigned, double, int, struct cost_throughput (prints the bottleneck). */
enum cost_kind { COST_COUNT, COST_SIZE, COST_NUMBER, COST_YES_NO, COST_BOUND }; /* the last two are not printed in JSON */

/* A column of a table. */
struct cost_column {
	const char *key;     /* in JSON, part of the interface; NULL: JSON has the value in another object */
	const char *heading; /* in text and on the page; NULL: JSON only */
	enum cost_kind kind;
	size_t offset;     /* of the value in the row's struct */
	int width, digits; /* in text; width < 0: left-aligned */
	double divisor;    /* text and page print the value divided by this: 1e3 to print ps as ns; 0: 1 */
};

/* Tables end with a column that has neither key nor heading. The comment names the struct of a row. */
extern const struct cost_column cost_task_columns[];    /* struct cost_task_row; the first column is the number of runs */
extern const struct cost_column cost_cycle_columns[];   /* same without instructions, which do not depend on the pass */
extern const struct cost_column cost_latency_columns[]; /* struct cost_distribution, of picoseconds */
extern const struct cost_column cost_size_columns[];    /* struct cost_point */

/* Cycles of a kind of task in one pass, or of all tasks of a packet. */
struct cost_task_row {
	const char *name; /* "warm" */
	uint64_t runs;
	struct cost_distribution cycles;
	double instructions_mean, ipc;
};
enum { COST_ROW_ALL, COST_ROW_WARM, COST_ROW_COLD, COST_ROW_LOADED, COST_TASK_ROWS };
/* Fills in the rows of a kind of task. runs is 0 in a pass in which it never ran. */
void cost_task_rows(const struct cost_point *p, enum pspin_task_kind kind, struct cost_task_row rows[COST_TASK_ROWS]);
struct cost_task_row cost_packet_row(const struct cost_view *v);

/* The parts of a mean of struct cost_view: a packet's cycles by cause, its latency by stage. */
struct cost_breakdown {
	const char *heading, *unit; /* "cause", "mean cycles/packet" */
	unsigned count;
	const char *(*name)(unsigned i);
	const char *(*text)(unsigned i); /* description of part i */
	size_t offset;                   /* of the array double[count] in struct cost_view */
	double divisor;                  /* as in struct cost_column */
};
extern const struct cost_breakdown cost_causes, cost_stages;

/* Returns 0 if part i is 0 alone, cold and loaded. */
int cost_breakdown__is_used(const struct cost_breakdown *b, const struct cost_point *p, unsigned i);

/* --- as text --- */

/* Print a line without the newline. name: the heading or content of the first column; width: its width. */
void cost_table__text_headings(const struct cost_column *columns, int width, const char *name);
void cost_table__text_row(const struct cost_column *columns, int width, const char *name, const void *row);
void cost_breakdown__text(const struct cost_breakdown *b, const struct cost_point *p);

/* --- as JSON: the members of an object --- */

void cost_table__json(struct json *j, const struct cost_column *columns, const void *row);
void cost_breakdown__json(struct json *j, const char *key, const struct cost_breakdown *b, const struct cost_view *v);

/* --- on the page --- */

/* Begins a table. name: heading of the first column. */
void cost_table__page(FILE *to, const struct cost_column *columns, const char *caption, const char *name);
void cost_table__page_row(FILE *to, const struct cost_column *columns, const char *name, const void *row);
/* Writes a row of a breakdown: name, alone, cold, loaded, description. The caller begins and ends the table. */
void cost_breakdown__page_row(FILE *to, const struct cost_breakdown *b, const struct cost_point *p, unsigned i);

#endif
