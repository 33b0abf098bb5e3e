/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Prints the rows of spinctl cost --compare (one device each) as text of 80 columns or as one JSON document. JSON keys must never be
 * renamed. Called by compare.c.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "user/cost/compare.h"
#include "user/lib/json.h"
#include "user/lib/options.h"

#define INDENT 4

static void print_detail(const char *text)
{
	printf("%*s", INDENT, "");
	options__wrap(stdout, INDENT, text);
}

static void text_row(const struct compare_row *row)
{
	printf("%-18s %-8s ", row->device, compare_how_name(row->how));
	if (row->reason[0])
		printf("%9s %9s %9s %8s\n", "-", "-", "-", "-");
	else
		printf("%9.1f %9.2f %9.1f %8u\n", row->ns_per_packet, row->million_packets_per_s, row->gbps, row->engines);
}

static void text_check(const struct compare_check *check)
{
	char line[512], ours[64] = "";

	if (!isnan(check->ours))
		snprintf(ours, sizeof(ours), ", ours %.4g (%+.1f %%)", check->ours, 100 * (check->ours / check->published - 1));
	if (isnan(check->published))
		snprintf(line, sizeof(line), "check: %s (%s)", check->what, check->source);
	else
		snprintf(line, sizeof(line), "check: %s: %.4g %s published (%s)%s", check->what, check->published, check->unit,
			 check->source, ours);
	print_detail(line);
}

static void text_detail(const struct compare_row *row)
{
	char line[512];

	printf("%s\n", row->device);
	if (row->reason[0])
		snprintf(line, sizeof(line), "no figures: %s", row->reason);
	else
		snprintf(line, sizeof(line), "%.1f %s a packet; bound by %s", row->work, row->work_unit, row->limit);
	print_detail(line);
	for (unsigned i = 0; i < row->checks; i++)
		text_check(&row->check[i]);
}

void compare__text(const struct compare *c)
{
	const struct cost_report *r = c->job->report;

	printf("%s, rule: %s, packets of %.1f bytes (mean)\n\n", r->handler, r->rule, c->packet_bytes);
	printf("%-18s %-8s %9s %9s %9s %8s\n", "device", "how", "ns/packet", "Mpkt/s", "Gbit/s", "engines");
	for (unsigned i = 0; i < COMPARE_DEVICES; i++)
		text_row(&c->row[i]);
	printf("\nns/packet: of one packet on one engine; Mpkt/s, Gbit/s: of the whole device, in\n"
	       "packet bytes from the IP header on. measured: it ran here; modelled: a model ran\n"
	       "it that was checked; estimate: computed from published properties.\n\n");
	for (unsigned i = 0; i < COMPARE_DEVICES; i++)
		text_detail(&c->row[i]);
}

static void json_check(struct json *j, const struct compare_check *check)
{
	json_object(j, NULL);
	json_string(j, "what", check->what);
	json_string(j, "source", check->source);
	json_string(j, "unit", check->unit);
	json_double(j, "published", check->published);
	json_double(j, "ours", check->ours);
	json_object_end(j);
}

static void json_row(struct json *j, const struct compare_row *row)
{
	const int has_figures = !row->reason[0];

	json_object(j, NULL);
	json_string(j, "name", row->name);
	json_string(j, "device", row->device);
	json_string(j, "how", compare_how_name(row->how));
	json_string(j, "no_figures_because", has_figures ? NULL : row->reason);
	json_double(j, "work_per_packet", has_figures ? row->work : NAN);
	json_string(j, "work_unit", has_figures ? row->work_unit : NULL);
	json_double(j, "ns_per_packet", has_figures ? row->ns_per_packet : NAN);
	json_double(j, "engines", has_figures ? row->engines : NAN);
	json_double(j, "million_packets_per_s", has_figures ? row->million_packets_per_s : NAN);
	json_double(j, "gbit_per_s", has_figures ? row->gbps : NAN);
	json_string(j, "bound_by", has_figures ? row->limit : NULL);
	json_array(j, "checks");
	for (unsigned i = 0; i < row->checks; i++)
		json_check(j, &row->check[i]);
	json_array_end(j);
	json_object_end(j);
}

static void json_properties(struct json *j, const struct compare *c)
{
	const char *name, *unit, *source;

	json_array(j, "properties");
	for (unsigned i = 0; (name = compare__property_name((enum compare_property)i, &unit, &source)); i++) {
		json_object(j, NULL);
		json_string(j, "name", name);
		json_double(j, "value", c->property[i]);
		json_string(j, "unit", unit);
		json_string(j, "source", source);
		json_object_end(j);
	}
	json_array_end(j);
}

void compare__json(const struct compare *c)
{
	const struct cost_report *r = c->job->report;
	struct json j;

	json_begin(&j, stdout, 1);
	json_object(&j, NULL);
	json_string(&j, "handler", r->handler);
	json_string(&j, "target", r->target);
	json_string(&j, "rule", r->rule);
	json_double(&j, "packet_bytes", c->packet_bytes);
	json_array(&j, "compare");
	for (unsigned i = 0; i < COMPARE_DEVICES; i++)
		json_row(&j, &c->row[i]);
	json_array_end(&j);
	json_properties(&j, c);
	json_object_end(&j);
	json_end(&j);
}
