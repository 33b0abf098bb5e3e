/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads the facts about the machine and an interface for spinctl doctor, runs the tables of checks over them (each check fills one row of
 * the report), and writes the summary. Called by doctor.c.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <bpf/libbpf.h>

#include "user/spinctl/doctor/facts.h"
#include "kernel/cpus.h"
#include "kernel/probe_bpf.h"
#include "user/spinctl/doctor/load.h"

#define SHOWN_MAX 6 /* interfaces named in the summary, per mode */

const char *doctor_verdict_name(enum doctor_verdict verdict)
{
	static const char *const names[] = { "left out", "ok", "note", "warning", "missing" };

	return names[verdict];
}

void doctor__found(struct doctor_row *row, enum doctor_verdict verdict, const char *format, ...)
{
	va_list args;

	row->verdict = verdict;
	va_start(args, format);
	vsnprintf(row->found, sizeof(row->found), format, args);
	va_end(args);
}

void doctor__advise(struct doctor_row *row, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(row->advice, sizeof(row->advice), format, args);
	va_end(args);
}

void doctor__not_known(struct doctor_row *row)
{
	doctor__found(row, DOCTOR_NOTE, "not known: only root can try (`sudo spinctl doctor`)");
}

int doctor__cannot_ask(const struct doctor_facts *facts, int err)
{
	return err == -EPERM && facts->may_load == -EPERM;
}

static int discard_log(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

int doctor_exam__begin(struct doctor_exam *e, int all)
{
	struct utsname name;

	memset(e, 0, sizeof(*e));
	e->facts.all = all;
	e->facts.possible_cpus = (unsigned)kernel_cpus__possible();
	libbpf_set_print(discard_log); /* probes are expected to fail */
	if (!uname(&name)) {
		snprintf(e->facts.kernel, sizeof(e->facts.kernel), "%s", name.release);
		sscanf(name.release, "%u.%u", &e->facts.kernel_major, &e->facts.kernel_minor);
	}
	kernel_process__read(&e->facts.process);
	e->facts.may_load = kernel_bpf__xdp(0);
	e->facts.may_point = kernel_bpf__packet_pointers();
	if (!e->facts.may_load)
		doctor_load__try(e->facts.test_loads, all);
	kernel_pair__probe(&e->facts.pair);
	return kernel_net__open(&e->net);
}

void doctor_exam__end(struct doctor_exam *e)
{
	kernel_net__close(&e->net);
	free(e->report.rows);
}

static void add_row(struct doctor_report *report, const struct doctor_row *row)
{
	struct doctor_row *more = realloc(report->rows, (report->count + 1) * sizeof(*more));

	if (!more || row->verdict == DOCTOR_LEFT_OUT) {
		report->rows = more ? more : report->rows;
		return;
	}
	report->rows = more;
	report->rows[report->count++] = *row;
}

static void run_table(struct doctor_exam *e, const char *section, const struct doctor_check *checks, int missing_only)
{
	for (const struct doctor_check *check = checks; check->name; check++) {
		struct doctor_row row = { .section = section, .about = check->about };

		snprintf(row.name, sizeof(row.name), "%s", check->name);
		if (e->facts.device)
			snprintf(row.device, sizeof(row.device), "%s", e->facts.device->iface.name);
		check->look(&e->facts, &row);
		if (row.verdict == DOCTOR_MISSING && !e->facts.device)
			e->lacks++;
		if (!missing_only || row.verdict == DOCTOR_MISSING)
			add_row(&e->report, &row);
	}
}

void doctor_exam__machine(struct doctor_exam *e)
{
	int missing_only = !e->facts.all;

	run_table(e, "this process", doctor_process_checks, missing_only);
	run_table(e, "kernel", doctor_kernel_checks, missing_only);
	run_table(e, "handlers", doctor_load_checks, missing_only);
	run_table(e, "settings and CPUs", doctor_settings_checks, missing_only);
	if (!missing_only)
		run_table(e, "tools", doctor_tools_checks, 0);
}

/* Adds the interface to a list in the summary. */
static void summarize_device(struct doctor_exam *e, const struct doctor_modes *modes, const char *name)
{
	struct doctor_list *list = !modes->runs ? &e->held : modes->native == DOCTOR_MISSING ? &e->generic : &e->native;

	if (list->count++ < SHOWN_MAX)
		snprintf(list->text + strlen(list->text), sizeof(list->text) - strlen(list->text), "%s%s", *list->text ? ", " : "", name);
}

int doctor_exam__device(struct doctor_exam *e, const char *name)
{
	struct doctor_device device;
	struct doctor_modes modes;
	int err = doctor__read_device(&e->net, name, &device);

	if (err) {
		e->failed_device = name;
		return err;
	}
	e->facts.device = &device;
	run_table(e, "interface", doctor_iface_checks, 0);
	if (!strcmp(device.iface.kind, "veth"))
		run_table(e, "traps of veth on", doctor_veth_checks, 0);
	e->facts.device = NULL;
	doctor__modes(&e->facts, &device, &modes);
	e->lacks += !modes.runs;
	summarize_device(e, &modes, name);
	return 0;
}

void doctor_exam__line(struct doctor_exam *e, const char *name)
{
	struct doctor_row row = { .section = "interfaces",
				  .about = "What handlers can have of an interface; `spinctl doctor "
					   "--dev IF` says everything about it." };
	struct doctor_device d;
	struct doctor_modes modes;

	if (doctor__read_device(&e->net, name, &d))
		return; /* the interface was removed after it was listed */
	doctor__modes(&e->facts, &d, &modes);
	snprintf(row.name, sizeof(row.name), "%s", name);
	doctor__found(&row, d.held ? DOCTOR_NOTE : DOCTOR_OK, "%s, %s, MTU %u; %s%s",
		      *d.iface.kind     ? d.iface.kind
		      : *d.iface.driver ? d.iface.driver
					: "no kind told",
		      d.iface.up ? "up" : "down", d.iface.mtu, modes.native == DOCTOR_MISSING ? "generic XDP" : "native and generic XDP",
		      d.held_by_us ? "; handlers are attached"
		      : d.held     ? "; held by a program of somebody else"
				   : "");
	add_row(&e->report, &row);
	summarize_device(e, &modes, name);
}

static void append(struct doctor_report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(struct doctor_report *r, const char *format, ...)
{
	size_t used = strlen(r->summary);
	va_list args;

	va_start(args, format);
	vsnprintf(r->summary + used, sizeof(r->summary) - used, format, args);
	va_end(args);
}

static void append_list(struct doctor_report *r, const char **lead, const char *what, const struct doctor_list *list)
{
	if (!list->count)
		return;
	append(r, "%s%s %s", *lead, what, list->text);
	if (list->count > SHOWN_MAX)
		append(r, " and %u more", list->count - SHOWN_MAX);
	*lead = ", ";
}

/* Adds to the summary what was tried but did not load, although handlers can run. */
static void append_refused(struct doctor_exam *e)
{
	const struct test_load *t = e->facts.test_loads;
	const struct {
		int refused;
		const char *name;
	} rows[] = {
		{ t[TEST_LOAD_DATAGRAM].tried && !doctor_load__has(t, SPIN_CLASS_TRUSTED), "the trusted class" },
		{ t[TEST_LOAD_MESSAGE].err, "messages" },
		{ t[TEST_LOAD_SENDER].err, "sending" },
		{ t[TEST_LOAD_DATAGRAM_ISOLATED].tried && !doctor_load__has(t, SPIN_CLASS_ISOLATED), "the isolated class" },
	};
	const char *lead = ", except ";

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].refused) {
			append(&e->report, "%s%s", lead, rows[i].name);
			lead = ", ";
		}
}

void doctor_exam__finalize(struct doctor_exam *e)
{
	struct doctor_report *r = &e->report;
	const char *lead = ": ";

	r->can_run = !e->lacks;
	if (r->can_run) {
		append(r, "handlers can run here");
		append_refused(e);
		append_list(r, &lead, "native on", &e->native);
		append_list(r, &lead, "generic on", &e->generic);
		append_list(r, &lead, "not on (held)", &e->held);
		return;
	}
	append(r, "handlers cannot run here");
	for (unsigned i = 0; i < r->count; i++)
		if (r->rows[i].verdict == DOCTOR_MISSING && !*r->rows[i].device) {
			append(r, "%s%s", *lead == ':' ? ", missing: " : ", ", r->rows[i].name);
			lead = ", ";
		}
	append_list(r, &lead, "held by somebody else:", &e->held);
	append(r, "; what they cost on an HPU, `spinctl cost` tells without");
}
