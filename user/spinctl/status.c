/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "kernel/probe.h"
#include "status.h"

static struct status_options {
	const char *device;
	int json;
} options;

static const struct option_row rows[] = {
	{ "dev", 0, OPTION_STRING, "IF", offsetof(struct status_options, device), "only this interface" },
	{ "json", 0, OPTION_FLAG, NULL, offsetof(struct status_options, json), "one JSON document" },
	{ 0 },
};

struct listing {
	struct json json;
	unsigned count;
};

static void text_row(const struct status_row *row)
{
	printf("%s on %s, rule: %s\n", row->handler, row->device, row->rule);
	if (row->owner_pid)
		printf("process %d (%s), ", row->owner_pid, row->owner);
	else
		printf("process not visible, ");
	printf("program %u, link %u%s\n", row->program_id, row->link_id,
	       row->here ? "" : ", not in this network namespace");
	counters__text(row->packets);
}

static void json_row(struct json *j, const struct status_row *row)
{
	json_object(j, NULL);
	json_string(j, "handler", row->handler);
	json_string(j, "device", row->device);
	json_bool(j, "in_this_namespace", row->here);
	json_int(j, "ifindex", row->ifindex);
	json_string(j, "rule", row->rule);
	json_int(j, "owner_pid", row->owner_pid);
	json_string(j, "owner", row->owner_pid ? row->owner : NULL);
	json_uint(j, "program_id", row->program_id);
	json_uint(j, "link_id", row->link_id);
	counters__json(j, row->packets);
	json_object_end(j);
}

static void on_row(void *arg, const struct status_row *row)
{
	struct listing *l = arg;

	if (options.device && (!row->here || strcmp(row->device, options.device)))
		return;
	if (options.json) {
		json_row(&l->json, row);
	} else {
		if (l->count)
			putchar('\n');
		text_row(row);
	}
	l->count++;
}

static int run(const char **operands, unsigned count)
{
	struct listing l = { 0 };
	struct spin_nic *nic = NULL;
	int err;

	(void)operands;
	(void)count;
	if (!kernel_probe__privileged())
		return complain("status reads the kernel's programs, which needs the privileges for loading them: "
				"run it as root (sudo)");
	if (options.device && spin_nic__open(options.device, &nic))
		return complain("%s", spin_strerror_last());
	spin_nic__close(nic);
	if (options.json) {
		json_begin(&l.json, stdout, 1);
		json_object(&l.json, NULL);
		json_array(&l.json, "contexts");
	}
	err = status__each(on_row, &l);
	if (options.json) {
		json_array_end(&l.json);
		json_object_end(&l.json);
		json_end(&l.json);
	} else if (!l.count && !err) {
		puts("no context is attached");
	}
	return err ? complain("cannot list what is attached: %s", strerror(-err)) : DONE;
}

static const struct command_row row = {
	.name = "spinctl status",
	.summary = "Lists the contexts attached on this machine, of all processes",
	.options = rows,
	.notes = "Needs root.",
};

const struct subcommand status_command = { "status", &row, run, &options };
