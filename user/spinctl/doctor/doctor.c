/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl doctor: reports what this machine and its interfaces can do for handlers, and what to change. Has the options and the order of
 * sections. exam.c reads the facts that checks share first; then each check fills one row of the report. It changes nothing. main.c runs it
 * through doctor_command.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/spinctl/doctor/facts.h"

static struct doctor_options {
	struct option_list devices;
	int json;
} options;

static const struct option_row rows[] = {
	{ "dev", 0, OPTION_LIST, "IF", offsetof(struct doctor_options, devices),
	  "everything about this interface; may be repeated (default: the machine, and a line per interface)" },
	{ "json", 0, OPTION_FLAG, NULL, offsetof(struct doctor_options, json), "one JSON document" },
	{ 0 },
};

/* All interfaces of this network namespace, by name. */
struct names {
	char (*name)[16];
	unsigned count;
};

static void add_name(void *arg, const char *name)
{
	struct names *n = arg;
	char(*more)[16] = realloc(n->name, (n->count + 1) * sizeof(*more));

	if (!more)
		return;
	n->name = more;
	snprintf(n->name[n->count++], sizeof(n->name[0]), "%s", name);
}

static int examine(struct doctor_exam *e)
{
	struct names names = { 0 };
	int err = 0;

	if (options.devices.count) {
		doctor_exam__machine(e);
		for (unsigned i = 0; i < options.devices.count && !err; i++)
			err = doctor_exam__device(e, options.devices.items[i]);
	} else {
		doctor_exam__machine(e);
		err = kernel_iface__each(&e->net, add_name, &names);
		for (unsigned i = 0; i < names.count; i++)
			doctor_exam__line(e, names.name[i]);
		free(names.name);
	}
	return err;
}

static int run(const char **operands, unsigned count)
{
	struct doctor_exam exam;
	int err;

	(void)operands;
	(void)count;
	err = doctor_exam__begin(&exam, !options.devices.count);
	if (!err)
		err = examine(&exam);
	if (!err) {
		doctor_exam__finalize(&exam);
		if (options.json)
			doctor_json__print(&exam.report);
		else
			doctor_text__print(&exam.report);
	}
	if (err == -ENODEV)
		report_error("there is no interface %s in this network namespace; `ip link` lists them", exam.failed_device);
	else if (err)
		report_error("cannot ask the kernel about its interfaces: %s", strerror(-err));
	err = err || !exam.report.can_run ? FAILED : DONE;
	doctor_exam__end(&exam);
	options__free_list(&options.devices);
	return err;
}

/* clang-format off */
static const struct example_row examples[] = {
	{ "spinctl doctor", "What this machine can do, with a line per interface." },
	{ "spinctl doctor --dev eth0", "Everything about one interface." },
	{ "spinctl doctor --dev eth0 --json", "The same for programs." },
	{ 0 },
};
/* clang-format on */

static const struct command_row row = {
	.name = "spinctl doctor",
	.summary = "Says what this machine, kernel, driver and interface can do for handlers, and what to change",
	.options = rows,
	.notes = "Works without root; what only root can know it says so. Exit status: 0 handlers can run here, 1 something "
		 "that\nthey need is missing, 2 usage.",
	.about =
		"Asks the process, the kernel, the tools and the interfaces, and says of each finding whether it is well "
		"(ok), worth knowing (note), costs something (warning) or keeps handlers from running (missing), and what to "
		"do about it. With --dev only what is missing is said of the machine.\n"
		"\n"
		"Nothing on the machine is changed: the dispatcher, a handler of each kind and tiny programs and maps are loaded and closed; attaching is tried on "
		"a veth pair in a network namespace of its own, which ends with the probe.",
	.examples = examples,
};

const struct subcommand doctor_command = { "doctor", &row, run, &options };
