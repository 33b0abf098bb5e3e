/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compares the NIC model's prediction of a series of packets (files of `make rtl-kit`) with what PsPIN's RTL took: the model may differ by
 * 1 % (warm) or 2 % (cold, bursts). Called by rtl_check.c. Packets have the same numbers on both sides. The RTL's traces do not say to
 * which packet a handler's run (body) belongs, so those of packets that are sent one at a time are compared in their order.
 */
#include <errno.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/rtl/rtl.h"

#define ALONE_CYCLES 1000 /* minimum distance of packets that a series sends one at a time */
/* Goals: the largest relative error of each kind of row. */
#define BODY_AIM  0.01
#define WARM_AIM  0.01
#define COLD_AIM  0.02
#define BURST_AIM 0.02

const char *const rtl_kind_names[RTL_KINDS] = { "header", "payload", "completion" };

static FILE *open_in(const char *directory, const char *name)
{
	char path[1024];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "re");
	if (!file)
		fprintf(stderr, "rtl-check: %s: %s\n", path, strerror(errno));
	return file;
}

static int malformed_line(const char *directory, const char *name, const char *line)
{
	fprintf(stderr, "rtl-check: %s/%s: not what it should hold: %s\n", directory, name, line);
	return -1;
}

/* Calls parse() for each line after the heading, until it returns nonzero. */
static int each_line(const char *directory, const char *name, int (*parse)(struct rtl_series *s, const char *line), struct rtl_series *s)
{
	FILE *from = open_in(directory, name);
	char line[1024];
	int rc = 0, heading = 1;

	if (!from)
		return -1;
	while (!rc && fgets(line, sizeof(line), from)) {
		if (!heading && parse(s, line))
			rc = malformed_line(directory, name, line);
		heading = 0;
	}
	fclose(from);
	if (!rc && heading)
		rc = malformed_line(directory, name, "it is empty");
	return rc;
}

static int parse_her(struct rtl_series *s, const char *line)
{
	struct rtl_packet *model = realloc(s->model, (s->packets + 1) * sizeof(*model));
	unsigned long long packet, her;
	unsigned entry[RTL_KINDS];

	if (!model)
		return -1;
	s->model = model;
	if (sscanf(line, "%llu,%llu,%*u,%*u,0x%*x,%*u,%*u,0x%x,0x%x,0x%x,", &packet, &her, &entry[RTL_HEADER], &entry[RTL_PAYLOAD],
		   &entry[RTL_COMPLETION]) != 5 ||
	    packet != s->packets)
		return -1;
	for (unsigned k = 0; k < RTL_KINDS; k++)
		s->entry[k] = entry[k] ? entry[k] : s->entry[k];
	s->model[s->packets++] = (struct rtl_packet){ .her = her };
	return 0;
}

static int parse_predicted(struct rtl_series *s, const char *line)
{
	unsigned long long packet, her, feedback;

	if (sscanf(line, "%llu,%*[^,],%*u,%*u,%*u,%*u,%llu,%llu", &packet, &her, &feedback) != 3 || packet >= s->packets)
		return -1;
	s->model[packet].her = her;
	s->model[packet].feedback = feedback;
	return 0;
}

static int parse_task(struct rtl_series *s, const char *line)
{
	unsigned long long packet, first, cycles;
	struct rtl_body body = { .kind = RTL_KINDS };
	char kind[16];
	int cold;

	/* packet,kind,message,cluster,hpu,cold,ready,dispatched,copied,started,first,returned,doorbell,feedback,body,... */
	if (sscanf(line, "%llu,%15[^,],%*u,%*u,%*u,%d,%*u,%*u,%*u,%*u,%llu,%*u,%*u,%*u,%llu,", &packet, kind, &cold, &first, &cycles) != 5)
		return -1;
	for (unsigned k = 0; k < RTL_KINDS; k++)
		body.kind = strcmp(kind, rtl_kind_names[k]) ? body.kind : (enum rtl_kind)k;
	if (packet >= s->packets)
		return -1;
	s->model[packet].is_cold |= cold;
	body.packet = packet;
	body.is_cold = cold;
	body.start = first;
	body.cycles = cycles;
	return body.kind == RTL_KINDS ? 0 : rtl_bodies__add(&s->model_bodies, &body);
}

static int parse_observed(struct rtl_series *s, const char *line)
{
	unsigned long long packet, her, feedback;

	if (sscanf(line, "%llu,%llu,%llu", &packet, &her, &feedback) != 3 || packet >= s->packets)
		return -1;
	s->rtl[packet] = (struct rtl_packet){ .her = her, .feedback = feedback };
	return 0;
}

int rtl_series__read_model(struct rtl_series *s, const char *series)
{
	*s = (struct rtl_series){ .apart = 1 };
	if (each_line(series, "hers.csv", parse_her, s) || each_line(series, "packets.csv", parse_predicted, s) ||
	    each_line(series, "tasks.csv", parse_task, s))
		return -1;
	rtl_bodies__sort(&s->model_bodies);
	while (s->apart < s->packets && s->model[s->apart].her - s->model[s->apart - 1].her > ALONE_CYCLES)
		s->apart++;
	if (s->apart < s->packets) /* there is a pause before the first packet of the burst as well */
		s->apart--;
	return 0;
}

int rtl_series__read_rtl(struct rtl_series *s, const char *work)
{
	char pattern[1024];
	glob_t traces;
	int rc = 0;

	s->rtl = calloc(s->packets ? s->packets : 1, sizeof(*s->rtl));
	if (!s->rtl || each_line(work, "observed.csv", parse_observed, s))
		return -1;
	for (size_t i = 0; i < s->packets; i++) {
		if (s->rtl[i].feedback)
			continue;
		fprintf(stderr, "rtl-check: %s: packet %zu of %zu has no feedback\n", work, i, s->packets);
		return -1;
	}
	snprintf(pattern, sizeof(pattern), "%s/trace_core_*.log", work);
	if (glob(pattern, 0, NULL, &traces)) {
		fprintf(stderr, "rtl-check: %s: no traces of cores; is PsPIN's simulator built without its tracer?\n", work);
		return -1;
	}
	for (size_t i = 0; i < traces.gl_pathc && !rc; i++)
		rc = rtl_trace__read(&s->rtl_bodies, s->entry, traces.gl_pathv[i]);
	globfree(&traces);
	rtl_bodies__sort(&s->rtl_bodies);
	return rc;
}

void rtl_series__free(struct rtl_series *s)
{
	free(s->model);
	free(s->rtl);
	free(s->model_bodies.list);
	free(s->rtl_bodies.list);
	*s = (struct rtl_series){ 0 };
}

static struct rtl_row *add(struct rtl_row *rows, size_t *count, const char *stage, double aim)
{
	struct rtl_row *row = &rows[(*count)++];

	*row = (struct rtl_row){ .aim = aim };
	snprintf(row->stage, sizeof(row->stage), "%s", stage);
	return row;
}

/* Adds a pair: accumulates the sums and the maximum error. */
static void add_pair(struct rtl_row *row, uint64_t rtl, uint64_t model)
{
	double error = rtl ? fabs((double)model - (double)rtl) / (double)rtl : model ? INFINITY : 0;

	row->rtl += (double)rtl;
	row->model += (double)model;
	row->error = fmax(row->error, error);
}

/* Divides the sums of n pairs to get means. */
static void compute_means(struct rtl_row *row, size_t n)
{
	row->rtl /= n ? (double)n : 1;
	row->model /= n ? (double)n : 1;
	row->is_ok = n && row->error <= row->aim;
}

/* Compares warm bodies of packets that are sent one at a time, the i-th of a kind on one side with the i-th on the other. */
static void compare_bodies(const struct rtl_series *s, enum rtl_kind kind, struct rtl_row *rows, size_t *count)
{
	const struct rtl_bodies *rtl = &s->rtl_bodies, *model = &s->model_bodies;
	struct rtl_row *row = NULL;
	size_t at = 0, n = 0;
	char stage[40];

	snprintf(stage, sizeof(stage), "%s body, idle, warm", rtl_kind_names[kind]);
	for (size_t i = 0; i < model->count; i++) {
		const struct rtl_body *m = &model->list[i];

		if (m->kind != kind || m->packet >= s->apart)
			continue;
		while (at < rtl->count && rtl->list[at].kind != kind)
			at++;
		if (!m->is_cold) {
			row = row ? row : add(rows, count, stage, BODY_AIM);
			add_pair(row, at < rtl->count ? rtl->list[at].cycles : 0, m->cycles);
			n++;
		}
		at++;
	}
	if (row)
		compute_means(row, n);
}

static void compare_latencies(const struct rtl_series *s, int cold, const char *stage, double aim, struct rtl_row *rows, size_t *count)
{
	struct rtl_row *row = NULL;
	size_t n = 0;

	for (size_t i = 0; i < s->apart; i++) {
		if (s->model[i].is_cold != cold)
			continue;
		row = row ? row : add(rows, count, stage, aim);
		add_pair(row, s->rtl[i].feedback - s->rtl[i].her, s->model[i].feedback - s->model[i].her);
		n++;
	}
	if (row)
		compute_means(row, n);
}

/* Returns the cycles from the first HER of the burst to the last feedback. */
static uint64_t burst(const struct rtl_packet *packets, size_t from, size_t to)
{
	uint64_t last = 0;

	for (size_t i = from; i < to; i++)
		last = packets[i].feedback > last ? packets[i].feedback : last;
	return last - packets[from].her;
}

size_t rtl_series__compare(const struct rtl_series *s, struct rtl_row rows[RTL_ROWS_MAX])
{
	struct rtl_row *row;
	size_t count = 0;

	for (unsigned k = 0; k < RTL_KINDS; k++)
		compare_bodies(s, (enum rtl_kind)k, rows, &count);
	compare_latencies(s, 0, "HER to feedback, warm", WARM_AIM, rows, &count);
	compare_latencies(s, 1, "HER to feedback, cold", COLD_AIM, rows, &count);
	if (s->apart < s->packets) {
		row = add(rows, &count, "burst, first HER to last feedback", BURST_AIM);
		add_pair(row, burst(s->rtl, s->apart, s->packets), burst(s->model, s->apart, s->packets));
		compute_means(row, 1);
	}
	return count;
}
