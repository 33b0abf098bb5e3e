/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl cost --compare: estimates one handler's performance on five devices, one row per device, and holds the published figures that the
 * estimates use. Called by measure.c. Invariant: a row has either figures or the reason why there are none.
 */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "user/cost/compare.h"
#include "user/cost/options.h"
#include "user/lib/printable.h"
#include "user/tool/error.h"

/* Published figures of the devices, one element for each line PROPERTY(name, unit, value, source) of devices.def. */
static const struct {
	const char *name, *unit;
	double value;
	const char *source;
} properties[COMPARE_PROPERTIES] = {
#define PROPERTY(name_, unit_, value_, source_) { #name_, unit_, value_, source_ },
#include "user/cost/compare/devices.def"
#undef PROPERTY
};

void compare__published(double property[COMPARE_PROPERTIES])
{
	for (unsigned i = 0; i < COMPARE_PROPERTIES; i++)
		property[i] = properties[i].value;
}

const char *compare__property_name(enum compare_property property, const char **unit, const char **source)
{
	if (property >= COMPARE_PROPERTIES)
		return NULL;
	*unit = properties[property].unit;
	*source = properties[property].source;
	return properties[property].name;
}

const char *compare_how_name(enum compare_how how)
{
	static const char *const names[] = { "measured", "modelled", "estimate" };

	return names[how];
}

int compare__set_reason(struct compare_row *row, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(row->reason, sizeof(row->reason), format, args);
	va_end(args);
	replace_terminal_controls(row->reason); /* it may quote names from the object */
	return DONE;
}

void compare__check(struct compare_row *row, const char *what, const char *source, const char *unit, double published, double ours)
{
	if (row->checks < COMPARE_CHECKS)
		row->check[row->checks++] = (struct compare_check){ what, source, unit, published, ours };
}

void compare__bound(struct compare_row *row, double million_packets_per_s, const char *format, ...)
{
	va_list args;

	if (row->million_packets_per_s && row->million_packets_per_s <= million_packets_per_s)
		return;
	row->million_packets_per_s = million_packets_per_s;
	va_start(args, format);
	vsnprintf(row->limit, sizeof(row->limit), format, args);
	va_end(args);
}

static const struct {
	const char *name, *device;
	int (*fill)(const struct compare *c, struct compare_row *row);
} devices[COMPARE_DEVICES] = {
	[COMPARE_PSPIN] = { "pspin", "PsPIN", compare_pspin },       [COMPARE_XDP] = { "xdp", "XDP, one CPU here", compare_xdp },
	[COMPARE_HXDP] = { "hxdp", "hXDP (NetFPGA)", compare_hxdp }, [COMPARE_NFP] = { "nfp", "Netronome NFP-4000", compare_nfp },
	[COMPARE_DPA] = { "dpa", "BlueField-3 DPA", compare_dpa },
};

int cost_compare(struct cost_job *job)
{
	struct compare c = { .job = job };
	int status = cost_report__measure(job);

	if (status)
		return status;
	if (!job->report->main.alone.handled)
		return report_error("--compare: no handler ran; the rule is %s", job->report->rule);
	compare__published(c.property);
	c.packet_bytes = job->report->main.alone.packet_bytes_mean;
	for (unsigned i = 0; i < COMPARE_DEVICES && !status; i++) {
		struct compare_row *row = &c.row[i];

		row->name = devices[i].name;
		row->device = devices[i].device;
		row->ns_per_packet = row->gbps = NAN;
		status = devices[i].fill(&c, row);
		if (!status && !row->reason[0])
			row->gbps = row->million_packets_per_s * c.packet_bytes * 8e-3;
	}
	if (status)
		return status;
	if (job->options->json)
		compare__json(&c);
	else
		compare__text(&c);
	return DONE;
}
