/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl list: prints the contexts (attached packet handlers) that the daemon spind holds, with their owners and counts, as text, JSON or
 * metrics. main.c runs it through list_command.
 */
#include <inttypes.h>
#include <pwd.h>
#include <string.h>

#include "user/spinctl/sockets/find.h"
#include "user/spinctl/sockets/metrics.h"
#include "user/spinctl/spinctl.h"

static struct list_options {
	const char *broker;
	const char *metrics;
	int json;
} options;

static const struct option_row rows[] = {
	{ "json", 0, OPTION_FLAG, NULL, offsetof(struct list_options, json), "one JSON document" },
	{ "metrics", 0, OPTION_STRING, "openmetrics|prometheus", offsetof(struct list_options, metrics), "as metrics, in this format" },
	BROKER_OPTION(struct list_options, broker),
	{ 0 },
};

#define COLUMNS 80 /* of a terminal */

static void show_text(const struct spin_socket_info *info)
{
	const struct passwd *user = getpwuid(info->uid);
	char number[16];
	int columns;

	snprintf(number, sizeof(number), "%u", info->uid);
	printf("%-7u %-15s %-11.11s %-8s %-8s %" PRIu64 "\n", info->id, info->name, user ? user->pw_name : number,
	       spin_class_name(info->class), info->attached ? "attached" : "detached", info->handled);
	columns = printf("        %s; handler %s; pid %u", info->rule, info->handler, info->pid);
	if (info->attached)
		printf("%son %s", columns + strlen("; on ") + strlen(info->interfaces) > COLUMNS ? "\n        " : "; ", info->interfaces);
	putchar('\n');
	if (info->over)
		printf("        %" PRIu64 " packets dropped: beyond hpu-time or events of spind.conf\n", info->over);
	if (info->refused)
		printf("        %" PRIu64 " packets dropped: they would have gone to others than the socket or the sender\n",
		       info->refused);
}

static void show_json(struct json *j, const struct spin_socket_info *info)
{
	json_object(j, NULL);
	json_uint(j, "id", info->id);
	json_string(j, "name", info->name);
	json_string(j, "handler", info->handler);
	json_uint(j, "uid", info->uid);
	json_uint(j, "pid", info->pid);
	json_string(j, "class", spin_class_name(info->class));
	json_bool(j, "attached", info->attached);
	json_string(j, "rule", info->rule);
	json_string(j, "interfaces", info->interfaces);
	json_uint(j, "netns", info->netns);
	json_uint(j, "map_bytes", info->map_bytes);
	json_uint(j, "handled", info->handled);
	json_uint(j, "left", info->left);
	json_uint(j, "refused", info->refused);
	json_uint(j, "over", info->over);
	json_uint(j, "busy_ns", info->busy_ns);
	json_uint(j, "swaps", info->swaps);
	json_object_end(j);
}

static int show(void *arg, const struct spin_socket_info *info)
{
	if (arg)
		show_json(arg, info);
	else
		show_text(info);
	return 0;
}

static int list(const char **operands, unsigned count)
{
	struct json json;

	(void)operands;
	(void)count;
	if (options.metrics)
		return metrics__print(options.broker, !strcmp(options.metrics, "openmetrics"));
	if (options.json) {
		json_begin(&json, stdout, 1);
		json_object(&json, NULL);
		json_array(&json, "contexts");
	} else {
		printf("%-7s %-15s %-11s %-8s %-8s %s\n", "ID", "NAME", "USER", "CLASS", "STATE", "HANDLED");
	}
	if (spin_socket__list(options.broker, show, options.json ? &json : NULL))
		return report_error("%s", spin_strerror_last());
	if (options.json) {
		json_array_end(&json);
		json_object_end(&json);
		json_end(&json);
	}
	return DONE;
}

static const struct command_row row = {
	.name = "spinctl list",
	.operands = "",
	.summary = "Shows the contexts that spind holds for programs",
	.options = rows,
	.about = "Each context has a number, by which the other commands find it; its name does as well if it is the only one. HANDLED are "
		 "the packets that its handlers ran for. `spinctl status` shows all contexts of the machine, whoever holds them, and needs "
		 "root; this command does not.",
	.examples =
		(const struct example_row[]){
			{ "spinctl list --json", "For programs to read." },
			{ "spinctl list --metrics prometheus >spin.prom", "For node_exporter's textfile collector." },
			{ 0 },
		},
};

const struct subcommand list_command = { "list", &row, list, &options };
