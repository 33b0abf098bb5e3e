/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_TABLES_H
#define USER_COST_TABLES_H

/*
 * The tables of a cost report, each described once: what a column is called in JSON, in text and on the page, its unit and its value.
 * text.c, json.c and html_*.c print them. A value that is to be in the report is a field of report.h and a line in tables.c.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "user/cost/report.h"

/* What is at the offset: uint64_t, unsigned, double, int, struct cost_throughput, of which what bounds it. */
enum cost_kind { COST_COUNT, COST_SIZE, COST_NUMBER, COST_YES_NO, COST_BOUND }; /* the last two: text's and the page's alone */

struct cost_column {
	const char *key;     /* in JSON, part of the interface; NULL: JSON has the value in another object */
	const char *heading; /* in text and on the page; NULL: in JSON alone */
	enum cost_kind kind;
	size_t offset;     /* of the value in a row's struct */
	int width, digits; /* in text; width < 0: to the left */
	double divisor;    /* of what JSON has, in text and on the page: 1e3 for ns of ps; 0: 1 */
};

/* Tables end with a column that has neither key nor heading. Rows: of the struct that is named. */
extern const struct cost_column cost_task_columns[];    /* struct cost_task_row; the first one: how many */
extern const struct cost_column cost_cycle_columns[];   /* the same without instructions, which all ways have in common */
extern const struct cost_column cost_latency_columns[]; /* struct cost_spread, of picoseconds */
extern const struct cost_column cost_size_columns[];    /* struct cost_point */

/* Cycles of a kind of task in one way to run it, or of all tasks of a packet. */
struct cost_task_row {
	const char *name; /* "warm" */
	uint64_t runs;
	struct cost_spread cycles;
	double instructions_mean, ipc;
};
enum { COST_ROW_ALL, COST_ROW_WARM, COST_ROW_COLD, COST_ROW_LOADED, COST_TASK_ROWS };
/* Fills the rows of a kind of task; of a way in which it never ran, runs is 0. */
void cost_task_rows(const struct cost_point *p, enum pspin_task_kind kind, struct cost_task_row rows[COST_TASK_ROWS]);
struct cost_task_row cost_packet_row(const struct cost_view *v);

/* What a mean of a view is made of, by name: the cycles of a packet by cause, its latency by stage. */
struct cost_breakdown {
	const char *heading, *unit; /* "cause", "mean cycles/packet" */
	unsigned count;
	const char *(*name)(unsigned i);
	const char *(*text)(unsigned i); /* what it is */
	size_t offset;                   /* of its double[count] in struct cost_view */
	double divisor;                  /* as of a column */
};
extern const struct cost_breakdown cost_causes, cost_stages;

/* 0: it is nothing, alone, cold and loaded. */
int cost_breakdown__is_used(const struct cost_breakdown *b, const struct cost_point *p, unsigned i);

/* --- as text --- */

/* A line, without its end. name: what the first column, of names, is called, or has; width: of it. */
void cost_table__text_headings(const struct cost_column *columns, int width, const char *name);
void cost_table__text_row(const struct cost_column *columns, int width, const char *name, const void *row);
void cost_breakdown__text(const struct cost_breakdown *b, const struct cost_point *p);

/* --- as JSON: the members of an object --- */

void cost_table__json(struct json *j, const struct cost_column *columns, const void *row);
void cost_breakdown__json(struct json *j, const char *key, const struct cost_breakdown *b, const struct cost_view *v);

/* --- on the page --- */

/* Begins a table; name: as above. */
void cost_table__page(FILE *to, const struct cost_column *columns, const char *caption, const char *name);
void cost_table__page_row(FILE *to, const struct cost_column *columns, const char *name, const void *row);
/* A row of a breakdown; the table is the caller's: name, alone, cold, loaded, <what it is. */
void cost_breakdown__page_row(FILE *to, const struct cost_breakdown *b, const struct cost_point *p, unsigned i);

#endif
