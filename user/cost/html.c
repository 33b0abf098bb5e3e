/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes the report of spinctl cost --html as one self-contained page: no scripts, no fonts, no network. Called by print.c and
 * html_contexts.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "user/lib/atomic_file.h"
#include "user/cost/html.h"
#include "user/cost/run.h"
#include "user/tool/error.h"

/* The page's style sheet. */
static const char style[] =
	":root{color-scheme:light dark;--ground:#fff;--ink:#1c2127;--soft:#59636e;--line:#d5dae0;--card:#f5f7f9;"
	"--yes:#00704e;--no:#b3261e;--bar:#0072b2}\n"
	"@media(prefers-color-scheme:dark){:root{--ground:#14181c;--ink:#e4e8ec;--soft:#9ba6b1;--line:#343c44;"
	"--card:#1c2228;--yes:#4fc99a;--no:#ff8a80;--bar:#56b4e9}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
	"main{max-width:1120px;margin:0 auto;padding:24px 16px 64px}\n"
	"h1{font-size:1.7rem;line-height:1.2;margin:0 0 .4rem;overflow-wrap:anywhere}\n"
	"h2{font-size:1.2rem;margin:2.4rem 0 .6rem;padding-top:.8rem;border-top:1px solid var(--line)}\n"
	"h3{font-size:1.05rem;margin:1.8rem 0 .5rem}\n"
	"p{margin:.4rem 0;max-width:75ch;overflow-wrap:anywhere}.soft{color:var(--soft);font-size:.9rem}\n"
	".lead{font-size:1.1rem}\n"
	".rates{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:12px;margin:1rem 0;padding:0;list-style:none}\n"
	".rates li{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:12px 14px}\n"
	".rates b{display:block;font-size:1.25rem}.yes{color:var(--yes)}.no{color:var(--no)}\n"
	".plots{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:16px;align-items:start}\n"
	".plots>*{margin:0;background:var(--card);border:1px solid var(--line);border-radius:10px;padding:10px}\n"
	".wide{overflow-x:auto;margin:.2rem 0 .8rem}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem;width:100%}\n"
	"th,td{padding:5px 10px;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}\n"
	"th:first-child,.text{text-align:left}td.text{white-space:normal;min-width:8rem;color:var(--soft)}\n"
	"thead th{vertical-align:bottom;color:var(--soft);font-weight:600}\n"
	"tbody th{font-weight:600}code{font:.88em/1.4 ui-monospace,monospace;overflow-wrap:anywhere}\n"
	".share{display:block;height:6px;border-radius:3px;background:var(--bar);min-width:1px;margin-top:3px}\n"
	"@media(max-width:760px){.plots{grid-template-columns:minmax(0,1fr)}.plots>*{padding:6px}"
	".plots svg text{font-size:17px}td.text{white-space:nowrap}h1{font-size:1.4rem}}\n"
	"@media(max-width:480px){.rates{grid-template-columns:minmax(0,1fr)}th,td{padding:5px 7px}}\n";

void html__begin(FILE *to, const char *a, const char *b)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>",
	      to);
	svg__text(to, a);
	fputs(" on ", to);
	svg__text(to, b);
	fprintf(to, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n<h1>", style);
	svg__text(to, a);
	fputs(" on ", to);
	svg__text(to, b);
	fputs("</h1>\n", to);
}

void html__end(FILE *to)
{
	fputs("</main>\n</body>\n</html>\n", to);
}

void html__heading(FILE *to, const struct cost_report *r, const char *id, const char *text)
{
	const char *tag = r && r->contexts ? "h3" : "h2";
	char name[64];

	if (r && r->contexts)
		snprintf(name, sizeof(name), "context%u-%s", r->context, id);
	else
		snprintf(name, sizeof(name), "%s", id);
	fprintf(to, "<section aria-labelledby=\"%s\">\n<%s id=\"%s\">", name, tag, name);
	svg__text(to, text);
	fprintf(to, "</%s>\n", tag);
}

void html__table(FILE *to, const char *caption, const char *const *columns)
{
	/* no <caption>: it would be as wide as the table, even if the table is wider than the screen */
	fputs("<p class=\"soft\">", to);
	svg__text(to, caption);
	fputs("</p>\n<div class=\"wide\" tabindex=\"0\"><table aria-label=\"", to);
	svg__text(to, caption);
	fputs("\">\n<thead><tr>", to);
	for (; *columns; columns++) {
		fputs(**columns == '<' ? "<th scope=\"col\" class=\"text\">" : "<th scope=\"col\">", to);
		svg__text(to, *columns + (**columns == '<'));
		fputs("</th>", to);
	}
	fputs("</tr></thead>\n<tbody>\n", to);
}

void html__row(FILE *to, const char *name)
{
	fputs("<tr><th scope=\"row\">", to);
	svg__text(to, name);
	fputs("</th>", to);
}

void html__cell(FILE *to, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fputs("<td>", to);
	svg__text(to, text);
	fputs("</td>", to);
}

void html__table_end(FILE *to)
{
	fputs("</tbody></table></div>\n", to);
}

static void write_summary(FILE *to, const struct cost_report *r)
{
	const struct cost_view *v = &r->main.alone;
	const struct cost_throughput *t = &r->main.throughput;
	char bound[COST_BOUND_TEXT];
	int best = -1;

	for (int i = 0; i < COST_RATES; i++)
		if (r->main.rates[i].is_met)
			best = i;
	fputs("<p class=\"lead\">", to);
	svg__text(to, r->handler);
	if (r->contexts)
		fprintf(to, " with %u other%s on the NIC: ", r->contexts - 1, r->contexts == 2 ? "" : "s");
	else if (best < 0 && r->offered_gbps > 0 && r->offered_gbps < r->main.rates[0].gbps)
		fprintf(to, " is offered no more than %g Gbit/s: ", r->offered_gbps);
	else if (best < 0)
		fprintf(to, " does not reach %.0f Gbit/s: ", r->main.rates[0].gbps);
	else
		fprintf(to, " keeps up with %.0f Gbit/s: ", r->main.rates[best].gbps);
	fprintf(to,
		"%.1f Gbit/s, %.1f million packets/s of %.0f bytes (mean), bound by %s. A packet takes %" PRIu64
		" cycles of an HPU (median) and passes the idle NIC in %.0f ns (median).</p>\n",
		t->gbps, t->packets_per_us, v->packet_bytes_mean, cost_bound_name(t, bound), v->packet_cycles.median,
		(double)v->latency_ps.median / 1e3);
	if (r->main.loaded.cycles_with_runtime_mean >= 1.1 * v->warm_with_runtime_mean)
		fprintf(to, "<p>Under load, waiting for one another, packets take %.0f cycles instead of %.0f (means).</p>\n",
			r->main.loaded.cycles_with_runtime_mean, v->warm_with_runtime_mean);
}

static void write_offered(FILE *to, const struct cost_report *r)
{
	if (r->offered_gbps > 0)
		fprintf(to, "<p>Offered were %g Gbit/s%s: whether more is reached was not tried.</p>\n", r->offered_gbps,
			r->contexts ? " to all contexts together" : "");
}

static void write_source(FILE *to, const struct cost_report *r)
{
	fputs("<p class=\"soft\">Target <code>", to);
	svg__text(to, r->target);
	fprintf(to, "</code>, %u HPUs at %g GHz; rule <code>", r->hpus, r->clock_ghz);
	svg__text(to, r->rule);
	fputs("</code>; ", to);
	if (r->trace) {
		fputs("trace <code>", to);
		svg__text(to, r->trace);
		fputs("</code>", to);
	} else {
		fprintf(to, "%u %s made, %u bytes of payload a packet", r->made.messages, cost_packets__name(r), r->made.payload_bytes);
	}
	fprintf(to, "; %" PRIu64 " frames, %" PRIu64 " handled.</p>\n", r->frames, r->main.alone.handled);
}

static void write_rates(FILE *to, const struct cost_report *r)
{
	fputs("<ul class=\"rates\">\n", to);
	for (unsigned i = 0; i < COST_RATES; i++) {
		const struct cost_rate *rate = &r->main.rates[i];

		fprintf(to,
			"<li>%.0f Gbit/s <b class=\"%s\">%s, %.0f&#160;%%</b> %.1f HPUs needed of %u<br>"
			"<span class=\"soft\">with Ethernet’s 38 bytes: %s, %.0f&#160;%%, %.1f HPUs</span></li>\n",
			rate->gbps, rate->is_met ? "yes" : "no", rate->is_met ? "yes" : "no", 100 * rate->reached, rate->hpus, r->hpus,
			rate->is_met_with_ethernet ? "yes" : "no", 100 * rate->reached_with_ethernet, rate->hpus_with_ethernet);
	}
	fputs("</ul>\n", to);
}

static void write_assumptions(FILE *to, const struct cost_report *r)
{
	html__heading(to, r, "assumed", "Not charged: assumed NIC hardware");
	fputs("<ul class=\"soft\">\n", to);
	for (const char *const *a = r->assumptions; a && *a; a++) {
		fputs("<li>", to);
		svg__text(to, *a);
		fputs("</li>\n", to);
	}
	fputs("</ul>\n<p class=\"soft\">Compiled by ", to);
	svg__text(to, r->compiler);
	fputs("; modelled: ", to);
	svg__text(to, r->isa);
	fputs(".</p>\n</section>\n", to);
}

void cost_html__report(FILE *to, const struct cost_report *r)
{
	if (r->main.alone.handled) {
		write_summary(to, r);
		write_offered(to, r);
		write_rates(to, r);
		write_source(to, r);
		cost_html__throughput(to, r);
		cost_html__latency(to, r);
		if (!r->contexts) /* contexts share the HPUs: their page has this section once, at the top */
			cost_html__occupancy(to, r);
		cost_html__cycles(to, r);
		cost_html__lines(to, r);
	} else {
		fputs("<p class=\"lead\">No handler ran.</p>\n", to);
		write_source(to, r);
	}
	write_assumptions(to, r);
}

static void write_page(FILE *to, const void *report)
{
	const struct cost_report *r = report;

	html__begin(to, r->handler, r->target);
	cost_html__report(to, r);
	html__end(to);
}

int html__write(const char *path, void (*print)(FILE *to, const void *what), const void *what)
{
	struct atomic_file file;
	int err = atomic_file__open(&file, path, "spincost");

	if (err)
		return report_error("cannot write %s: %s", path, atomic_file__reason(err));
	print(file.file, what);
	if (fflush(file.file) || ferror(file.file))
		err = errno ? -errno : -EIO;
	if (!err)
		err = atomic_file__publish(&file);
	atomic_file__close(&file);
	return err ? report_error("cannot write %s: %s", path, atomic_file__reason(err)) : DONE;
}

int cost_html__write(const struct cost_report *r, const char *path)
{
	return html__write(path, write_page, r);
}
