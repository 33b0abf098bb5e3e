/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <linux/capability.h>

#include "kernel/caps.h"
#include "user/spinctl/mpq.h"
#include "user/spinctl/run_message.h"
#include "user/spinctl/status.h"

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

/* What a context has counted, packets and messages; j NULL: as text. */
static void show_counts(const uint64_t *packets, uint32_t program_id, struct json *j)
{
	struct mpq_context c = { 0 };
	const int messages = !mpq_find__context(program_id, &c);

	if (j)
		counters__json(j, packets, messages);
	else
		counters__text(packets, messages);
	if (messages && j)
		run_message__stats_json(j, &c.stats, c.messages);
	else if (messages)
		run_message__stats_text(&c.stats, c.messages);
	if (j)
		run_memory__counters_json(j, c.ct);
	else
		run_memory__counters_text("", c.ct);
	free(c.message);
}

static void text_interface(const struct status_interface *f)
{
	printf("%s, ", f->device);
	if (f->mode)
		printf("%s mode, ", spin_mode_name(f->mode));
	if (f->owner_pid)
		printf("process %d (%s), ", f->owner_pid, f->owner);
	else
		printf("process not visible, ");
	printf("program %u, link %u%s\n", f->program_id, f->link_id, f->here ? "" : ", not in this network namespace");
	for (unsigned i = 0; i < f->contexts; i++) {
		printf("\n%s on %s, rule: %s\n", f->context[i].name, f->device, f->context[i].rule);
		show_counts(f->context[i].packets, f->context[i].program_id, NULL);
	}
	printf("\npackets of no context\n");
	counters__text(f->packets, 0);
}

static void json_interface(struct json *j, const struct status_interface *f)
{
	json_object(j, NULL);
	json_string(j, "device", f->device);
	json_bool(j, "in_this_namespace", f->here);
	json_int(j, "ifindex", f->ifindex);
	json_string(j, "mode", f->mode ? spin_mode_name(f->mode) : NULL);
	json_int(j, "owner_pid", f->owner_pid);
	json_string(j, "owner", f->owner_pid ? f->owner : NULL);
	json_uint(j, "program_id", f->program_id);
	json_uint(j, "link_id", f->link_id);
	counters__json(j, f->packets, 0);
	json_array(j, "contexts");
	for (unsigned i = 0; i < f->contexts; i++) {
		json_object(j, NULL);
		json_string(j, "context", f->context[i].name);
		json_string(j, "rule", f->context[i].rule);
		json_uint(j, "program_id", f->context[i].program_id);
		show_counts(f->context[i].packets, f->context[i].program_id, j);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

static void on_interface(void *arg, const struct status_interface *found)
{
	struct listing *l = arg;

	if (options.device && (!found->here || strcmp(found->device, options.device)))
		return;
	if (options.json) {
		json_interface(&l->json, found);
	} else {
		if (l->count)
			putchar('\n');
		text_interface(found);
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
	if (!(kernel_caps__effective() >> CAP_SYS_ADMIN & 1))
		return complain("status reads the programs of all processes, for which the kernel wants CAP_SYS_ADMIN: "
				"run it as root (sudo)");
	if (options.device && spin_nic__open(options.device, &nic))
		return complain("%s", spin_strerror_last());
	spin_nic__close(nic);
	if (options.json) {
		json_begin(&l.json, stdout, 1);
		json_object(&l.json, NULL);
		json_array(&l.json, "interfaces");
	}
	err = status__each(on_interface, &l);
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
	.summary = "Lists interfaces with contexts on this machine, of all processes",
	.options = rows,
	.notes = "Needs root.",
	.about = "A context is shown with its process, its interface, its match rule and its counters, whichever "
		 "process attached it; one that takes messages with their numbers, too (spinctl mpq has each). Contexts "
		 "in other network namespaces are listed too, marked so.",
	.examples =
		(const struct example_row[]){
			{ "spinctl status", "What runs on this machine." },
			{ "spinctl status --dev eth0 --json", "The same of one interface, for a program." },
			{ 0 },
		},
};

const struct subcommand status_command = { "status", &row, run, &options };
