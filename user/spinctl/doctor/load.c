/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl doctor: the table of checks that report which of sPIN's BPF programs the kernel loads. test_load.c has tried them before. Run by
 * exam.c; versions and advice come from kernel/features.h.
 */
#include <errno.h>
#include <string.h>

#include "user/spinctl/doctor/facts.h"
#include "kernel/features.h"
#include "kernel/probe.h"
#include "user/spinctl/doctor/load.h"

/* Advises which kernel to boot. The row "version" says the same, so only a missing feature repeats it. */
static void advise(struct doctor_row *row, enum doctor_verdict verdict)
{
	char advice[sizeof(row->advice)];

	if (verdict == DOCTOR_MISSING)
		doctor__advise(row, "%s", kernel_feature__advice(advice, sizeof(advice)));
}

/* Reports one test load. feature: what it needs of the kernel. */
static void report(const struct doctor_facts *f, struct doctor_row *row, enum test_load_id id, enum kernel_feature feature,
		   enum doctor_verdict if_refused)
{
	const struct test_load *load = &f->test_loads[id];

	if (!load->tried) {
		if (f->may_load == -EPERM)
			doctor__not_known(row);
		else if (f->all)
			doctor__found(row, DOCTOR_NOTE, "not tried: this process lacks capabilities for it");
	} else if (!load->err) {
		doctor__found(row, DOCTOR_OK, "the kernel loads it");
	} else if (!kernel_feature__has(feature)) {
		doctor__found(row, if_refused, "no: the kernel is too old for %s (since Linux %s)", kernel_feature__name(feature),
			      kernel_feature__version(feature));
		advise(row, if_refused);
	} else {
		doctor__found(row, if_refused == DOCTOR_NOTE ? DOCTOR_WARNING : if_refused, "no: %s", load->message);
	}
}

/* Returns the verdict for a refused program that its class needs: missing if neither class loads, else a note. */
static enum doctor_verdict essential(const struct doctor_facts *f)
{
	return doctor_load__has(f->test_loads, SPIN_CLASS_TRUSTED) || doctor_load__has(f->test_loads, SPIN_CLASS_ISOLATED) ? DOCTOR_NOTE
															   : DOCTOR_MISSING;
}

static void dispatcher(const struct doctor_facts *f, struct doctor_row *row)
{
	report(f, row, TEST_LOAD_DISPATCHER, KERNEL_DATAGRAMS, essential(f));
}

static void datagrams(const struct doctor_facts *f, struct doctor_row *row)
{
	report(f, row, TEST_LOAD_DATAGRAM, KERNEL_DATAGRAMS, essential(f));
}

static void messages(const struct doctor_facts *f, struct doctor_row *row)
{
	report(f, row, TEST_LOAD_MESSAGE, KERNEL_MESSAGES, DOCTOR_NOTE);
}

static void sending(const struct doctor_facts *f, struct doctor_row *row)
{
	report(f, row, TEST_LOAD_SENDER, KERNEL_SENDING, DOCTOR_NOTE);
}

static void segments(const struct doctor_facts *f, struct doctor_row *row)
{
	report(f, row, TEST_LOAD_SEGMENT, KERNEL_MESSAGES, DOCTOR_NOTE);
}

static void long_frames(const struct doctor_facts *f, struct doctor_row *row)
{
	if (!f->test_loads[TEST_LOAD_DATAGRAM].tried) {
		report(f, row, TEST_LOAD_DATAGRAM, KERNEL_JUMBO, DOCTOR_NOTE);
	} else if (!kernel_feature__has(KERNEL_JUMBO)) {
		doctor__found(row, DOCTOR_NOTE,
			      "no: the kernel is too old for %s (since Linux %s); in native mode handlers do "
			      "not get frames longer than a page",
			      kernel_feature__name(KERNEL_JUMBO), kernel_feature__version(KERNEL_JUMBO));
	} else if (f->test_loads[TEST_LOAD_DATAGRAM].err) {
		doctor__found(row, DOCTOR_NOTE, "no, as datagram handlers do not load");
	} else {
		doctor__found(row, DOCTOR_OK, "copied: the kernel loads the program that does it");
	}
}

static void dispatcher_isolated(const struct doctor_facts *f, struct doctor_row *row)
{
	report(f, row, TEST_LOAD_DISPATCHER_ISOLATED, KERNEL_ISOLATED, essential(f));
}

static void datagrams_isolated(const struct doctor_facts *f, struct doctor_row *row)
{
	const struct test_load *load = &f->test_loads[TEST_LOAD_DATAGRAM_ISOLATED];

	report(f, row, TEST_LOAD_DATAGRAM_ISOLATED, KERNEL_ISOLATED, essential(f));
	if (load->tried && !load->err && kernel_probe__refuses_speculation())
		doctor__found(row, DOCTOR_OK, "the kernel loads it, but not every one: %s", kernel_feature__speculation());
}

static void sending_isolated(const struct doctor_facts *f, struct doctor_row *row)
{
	report(f, row, TEST_LOAD_SENDER_ISOLATED, KERNEL_ISOLATED, DOCTOR_NOTE);
}

static void segments_isolated(const struct doctor_facts *f, struct doctor_row *row)
{
	report(f, row, TEST_LOAD_SEGMENT_ISOLATED, KERNEL_ISOLATED, DOCTOR_NOTE);
}

static void streams_isolated(const struct doctor_facts *f, struct doctor_row *row)
{
	report(f, row, TEST_LOAD_STREAM_ISOLATED, KERNEL_ISOLATED, DOCTOR_NOTE);
}

/* clang-format off */
const struct doctor_check doctor_load_checks[] = {
	{ "dispatcher", "Our program on the interface, which finds the context of each packet.", dispatcher },
	{ "datagrams", "A handler of datagrams, of the trusted class.", datagrams },
	{ "messages", "A handler of messages; these are of the trusted class only.", messages },
	{ "sending", "A handler that sends packets, and the program that does it for handlers.", sending },
	{ "segments", "A handler of TCP segments, of the trusted class.", segments },
	{ "long frames", "Frames in several buffers are copied for handlers.", long_frames },
	{ "copying dispatcher", "Our program on the interface for a process without CAP_PERFMON.", dispatcher_isolated },
	{ "isolated datagrams", "A handler of datagrams, loaded without CAP_PERFMON.", datagrams_isolated },
	{ "isolated sending", "A handler that sends packets, loaded without CAP_PERFMON.", sending_isolated },
	{ "isolated segments", "A handler of TCP segments, loaded without CAP_PERFMON, as for programs' sockets.", segments_isolated },
	{ "isolated streams", "A handler of the bytes of TCP connections, as for programs' sockets.", streams_isolated },
	{ 0 },
};
/* clang-format on */
