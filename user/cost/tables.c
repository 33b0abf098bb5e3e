/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The columns of the tables in a report of spinctl cost, and their output as text, JSON and HTML. A column is described once for all three.
 * Called by text.c, json.c and html_*.c.
 */
#include <inttypes.h>

#include "user/cost/html.h"
#include "user/cost/tables.h"

#define TASK(field)    offsetof(struct cost_task_row, field)
#define LATENCY(field) offsetof(struct cost_distribution, field)
#define POINT(field)   offsetof(struct cost_point, field)
#define PS_OF_NS       1e3

/* clang-format off */
/* Columns: { JSON key, heading, type of the value, offset in the row's struct, width in text, digits, divisor }. */
/* In some objects of the JSON document the keys end with a unit. */
#define CYCLES_(runs_key, unit)                                                                   \
	{ runs_key,                 "runs",          COST_COUNT,  TASK(runs), 10 },               \
	{ "min" unit,               "min",           COST_COUNT,  TASK(cycles.min), 8 },          \
	{ "median" unit,            "median",        COST_COUNT,  TASK(cycles.median), 8 },       \
	{ "p99" unit,               "p99",           COST_COUNT,  TASK(cycles.p99), 8 },          \
	{ "max" unit,               "max",           COST_COUNT,  TASK(cycles.max), 8 },          \
	{ "mean" unit,              "mean",          COST_NUMBER, TASK(cycles.mean), 10, 1 }

const struct cost_column cost_task_columns[] = {
	CYCLES_("runs", "_cycles"),
	{ "mean_instructions",      "instr. (mean)", COST_NUMBER, TASK(instructions_mean), 13, 1 },
	{ "instructions_per_cycle", "IPC",           COST_NUMBER, TASK(ipc), 6, 2 },
	{ 0 },
};

const struct cost_column cost_cycle_columns[] = { CYCLES_("tasks", ""), { 0 } };

const struct cost_column cost_latency_columns[] = {
	{ "min_ps",                 "min",           COST_COUNT,  LATENCY(min), 10, 1, PS_OF_NS },
	{ "median_ps",              "median",        COST_COUNT,  LATENCY(median), 10, 1, PS_OF_NS },
	{ "p99_ps",                 "p99",           COST_COUNT,  LATENCY(p99), 10, 1, PS_OF_NS },
	{ "max_ps",                 "max",           COST_COUNT,  LATENCY(max), 10, 1, PS_OF_NS },
	{ "mean_ps",                "mean",          COST_NUMBER, LATENCY(mean), 10, 1, PS_OF_NS },
	{ 0 },
};

/* JSON has the values without a key in the point's objects latency, rates and throughput. */
const struct cost_column cost_size_columns[] = {
	{ "size_bytes",             NULL,            COST_SIZE,   POINT(size) },
	{ "packet_bytes",           NULL,            COST_NUMBER, POINT(alone.packet_bytes_mean) },
	{ "warm_median_cycles",     "warm",          COST_COUNT,  POINT(alone.packet_cycles.median), 8 },
	{ "cold_median_cycles",     "cold",          COST_COUNT,  POINT(cold.packet_cycles.median), 8 },
	{ "loaded_median_cycles",   "loaded",        COST_COUNT,  POINT(loaded.packet_cycles.median), 8 },
	{ NULL,                     "ns alone",      COST_COUNT,  POINT(alone.latency_ps.median), 9, 1, PS_OF_NS },
	{ NULL,                     "Mpkt/s",        COST_NUMBER, POINT(throughput.packets_per_us), 8, 2 },
	{ NULL,                     "Gbit/s",        COST_NUMBER, POINT(throughput.gbps), 8, 1 },
	{ NULL,                     "nJ max",        COST_NUMBER, POINT(throughput.energy_nj), 7, 1 },
	{ NULL,                     "100",           COST_YES_NO, POINT(rates[0].is_met), -5 },
	{ NULL,                     "200",           COST_YES_NO, POINT(rates[1].is_met), -5 },
	{ NULL,                     "400",           COST_YES_NO, POINT(rates[2].is_met), -5 },
	{ NULL,                     "bound by",      COST_BOUND,  POINT(throughput), -1 },
	{ 0 },
};
/* clang-format on */
_Static_assert(COST_RATES == 3, "a column for each rate");

#define COLUMNS_MAX 16 /* per table */
_Static_assert(sizeof(cost_task_columns) <= (COLUMNS_MAX + 1) * sizeof(struct cost_column) &&
		       sizeof(cost_size_columns) <= (COLUMNS_MAX + 1) * sizeof(struct cost_column),
	       "the page has room for their headings");

static const char *cause_name(unsigned i)
{
	return rv32_cause_name((enum rv32_cause)i);
}

static const char *cause_text(unsigned i)
{
	return rv32_cause_text((enum rv32_cause)i);
}

static const char *stage_name(unsigned i)
{
	return cost_stage_name((enum cost_stage)i);
}

static const char *stage_text(unsigned i)
{
	return cost_stage_text((enum cost_stage)i);
}

const struct cost_breakdown cost_causes = { "cause",    "mean cycles/packet", RV32_CAUSE_COUNT,
					    cause_name, cause_text,           offsetof(struct cost_view, cause_cycles_mean),
					    1 };
const struct cost_breakdown cost_stages = { "stage",    "mean ns/packet", COST_STAGES,
					    stage_name, stage_text,       offsetof(struct cost_view, stage_ps_mean),
					    PS_OF_NS };

void cost_task_rows(const struct cost_point *p, enum pspin_task_kind kind, struct cost_task_row rows[COST_TASK_ROWS])
{
	const struct cost_task *t = &p->alone.tasks[kind], *cold = &p->cold.tasks[kind], *loaded = &p->loaded.tasks[kind];
	const uint64_t cold_runs = t->cold_runs < t->runs ? t->cold_runs : 0;

	rows[COST_ROW_ALL] = (struct cost_task_row){ t->name, t->runs, t->cycles, t->instructions_mean, t->ipc };
	rows[COST_ROW_WARM] = (struct cost_task_row){ "warm", t->runs - cold_runs, t->warm, t->instructions_mean, t->ipc };
	rows[COST_ROW_COLD] = (struct cost_task_row){ "cold", cold->runs, cold->cycles, cold->instructions_mean, cold->ipc };
	rows[COST_ROW_LOADED] = (struct cost_task_row){ "loaded", loaded->runs, loaded->cycles, loaded->instructions_mean, loaded->ipc };
}

struct cost_task_row cost_packet_row(const struct cost_view *v)
{
	return (struct cost_task_row){ "packet", v->handled, v->packet_cycles, v->packet_instructions_mean, v->ipc };
}

/* --- a cell --- */

static int is_last(const struct cost_column *c)
{
	return !c->key && !c->heading;
}

static const void *value(const struct cost_column *c, const void *row)
{
	return (const char *)row + c->offset;
}

static uint64_t count(const struct cost_column *c, const void *row)
{
	return c->kind == COST_SIZE ? *(const unsigned *)value(c, row) : *(const uint64_t *)value(c, row);
}

static int is_met(const struct cost_column *c, const void *row)
{
	return *(const int *)value(c, row);
}

#define CELL_BYTES COST_BOUND_TEXT

/* Returns a cell as printed in text and on the page. */
static const char *cell(const struct cost_column *c, const void *row, char text[CELL_BYTES])
{
	switch (c->kind) {
	case COST_COUNT:
	case COST_SIZE:
		if (c->divisor > 0)
			snprintf(text, CELL_BYTES, "%.*f", c->digits, (double)count(c, row) / c->divisor);
		else
			snprintf(text, CELL_BYTES, "%" PRIu64, count(c, row));
		return text;
	case COST_NUMBER:
		snprintf(text, CELL_BYTES, "%.*f", c->digits, *(const double *)value(c, row) / (c->divisor > 0 ? c->divisor : 1));
		return text;
	case COST_YES_NO:
		return is_met(c, row) ? "yes" : "no";
	case COST_BOUND:
		return cost_bound_name(value(c, row), text);
	}
	return "";
}

/* --- as text --- */

/* Columns are separated by one blank, or by two where a left-aligned column follows a right-aligned one. */
static void text_cell(const struct cost_column *first, const struct cost_column *c, const char *text)
{
	const int gap = c > first && c->width < 0 && c[-1].width > 0;

	if (c->width == -1) /* last column: no trailing blanks */
		printf("%s %s", gap ? " " : "", text);
	else
		printf("%s %*s", gap ? " " : "", c->width, text);
}

void cost_table__text_headings(const struct cost_column *columns, int width, const char *name)
{
	printf("%-*s", width, name);
	for (const struct cost_column *c = columns; !is_last(c); c++)
		if (c->heading)
			text_cell(columns, c, c->heading);
}

void cost_table__text_row(const struct cost_column *columns, int width, const char *name, const void *row)
{
	char text[CELL_BYTES];

	printf("%-*s", width, name);
	for (const struct cost_column *c = columns; !is_last(c); c++)
		if (c->heading)
			text_cell(columns, c, cell(c, row, text));
}

/* Returns part i in the unit of struct cost_view. */
static double raw(const struct cost_breakdown *b, const struct cost_view *v, unsigned i)
{
	return ((const double *)(const void *)((const char *)v + b->offset))[i];
}

/* Returns part i in the unit of text and page. */
static double part(const struct cost_breakdown *b, const struct cost_view *v, unsigned i)
{
	return raw(b, v, i) / b->divisor;
}

int cost_breakdown__is_used(const struct cost_breakdown *b, const struct cost_point *p, unsigned i)
{
	return part(b, &p->alone, i) > 0 || part(b, &p->cold, i) > 0 || part(b, &p->loaded, i) > 0;
}

void cost_breakdown__text(const struct cost_breakdown *b, const struct cost_point *p)
{
	printf("\n%-12s %10s %10s %10s   %s\n", b->heading, "alone", "cold", "loaded", b->unit);
	for (unsigned i = 0; i < b->count; i++)
		if (cost_breakdown__is_used(b, p, i))
			printf("%-12s %10.2f %10.2f %10.2f   %s\n", b->name(i), part(b, &p->alone, i), part(b, &p->cold, i),
			       part(b, &p->loaded, i), b->text(i));
}

/* --- as JSON --- */

void cost_table__json(struct json *j, const struct cost_column *columns, const void *row)
{
	for (const struct cost_column *c = columns; !is_last(c); c++) {
		if (!c->key)
			continue;
		switch (c->kind) {
		case COST_COUNT:
		case COST_SIZE:
			json_uint(j, c->key, count(c, row));
			break;
		case COST_NUMBER:
			json_double(j, c->key, *(const double *)value(c, row));
			break;
		case COST_YES_NO:
		case COST_BOUND:
			break;
		}
	}
}

void cost_breakdown__json(struct json *j, const char *key, const struct cost_breakdown *b, const struct cost_view *v)
{
	json_object(j, key);
	for (unsigned i = 0; i < b->count; i++)
		json_double(j, b->name(i), raw(b, v, i));
	json_object_end(j);
}

/* --- on the page --- */

void cost_table__page(FILE *to, const struct cost_column *columns, const char *caption, const char *name)
{
	const char *names[COLUMNS_MAX + 2] = { name };
	unsigned n = 1;

	for (const struct cost_column *c = columns; !is_last(c); c++)
		if (c->heading)
			names[n++] = c->heading;
	html__table(to, caption, names);
}

void cost_table__page_row(FILE *to, const struct cost_column *columns, const char *name, const void *row)
{
	char text[CELL_BYTES];

	html__row(to, name);
	for (const struct cost_column *c = columns; !is_last(c); c++) {
		if (!c->heading)
			continue;
		if (c->kind == COST_YES_NO)
			fprintf(to, "<td class=\"%s\">%s</td>", cell(c, row, text), cell(c, row, text));
		else if (c->kind == COST_BOUND) /* the page has room for the figures of cost_bound_text() */
			html__cell(to, "%s", cost_bound_text(value(c, row), text));
		else
			html__cell(to, "%s", cell(c, row, text));
	}
	fputs("</tr>\n", to);
}

void cost_breakdown__page_row(FILE *to, const struct cost_breakdown *b, const struct cost_point *p, unsigned i)
{
	html__row(to, b->name(i));
	html__cell(to, "%.2f", part(b, &p->alone, i));
	html__cell(to, "%.2f", part(b, &p->cold, i));
	html__cell(to, "%.2f", part(b, &p->loaded, i));
	fputs("<td class=\"text\">", to);
	svg__text(to, b->text(i));
	fputs("</td></tr>\n", to);
}
