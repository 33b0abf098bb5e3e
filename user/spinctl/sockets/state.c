/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl state: reads and sets fields of the state of handlers that the daemon spind has attached, in the memory that they use while they
 * run. main.c runs it through state_command.
 */
#include <inttypes.h>
#include <string.h>

#include "user/spinctl/sockets/find.h"
#include "user/spinctl/spinctl.h"

static struct state_options {
	const char *broker;
	int all, json;
} options;

static const struct option_row rows[] = {
	{ "all", 0, OPTION_FLAG, NULL, offsetof(struct state_options, all), "fields that are 0, too" },
	{ "json", 0, OPTION_FLAG, NULL, offsetof(struct state_options, json), "one JSON document" },
	BROKER_OPTION(struct state_options, broker),
	{ 0 },
};

static int show(void *arg, const struct spin_field *field)
{
	if (arg)
		json_uint(arg, field->path, field->value);
	else
		printf("%-40s %" PRIu64 "\n", field->path, field->value);
	return 0;
}

static int get(struct spin_ctx *ctx, const char **names, unsigned count)
{
	struct json json = { 0 }, *j = options.json ? &json : NULL;
	int status = DONE;

	if (j) {
		json_begin(j, stdout, 1);
		json_object(j, NULL);
	}
	for (unsigned i = 0; i < count && !status; i++)
		if (spin_ctx__fields(ctx, names[i], options.all, show, j))
			status = report_error("%s", spin_strerror_last());
	for (unsigned i = 0; !count && spin_ctx__symbol_name(ctx, i); i++)
		spin_ctx__fields(ctx, spin_ctx__symbol_name(ctx, i), options.all, show, j);
	if (j) {
		json_object_end(j);
		json_end(j);
	}
	return status;
}

static int set(struct spin_ctx *ctx, const char **assignments, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (spin_ctx__set(ctx, assignments[i]))
			return report_error("%s", spin_strerror_last());
	return DONE;
}

static int state(const char **operands, unsigned count)
{
	const int sets = !strcmp(operands[0], "set");
	struct spin_object *obj;
	struct spin_ctx *ctx;
	int status;

	if (!sets && strcmp(operands[0], "get"))
		return report_error("'%s' is not get or set; see spinctl state --help", operands[0]), USAGE;
	status = find__open(options.broker, operands[1], &obj, &ctx);
	if (status)
		return status;
	status = (sets ? set : get)(ctx, operands + 2, count - 2);
	spin_ctx__destroy(ctx);
	spin_object__close(obj);
	return status;
}

static const struct command_row row = {
	.name = "spinctl state",
	.operands = "get|set CONTEXT [VARIABLE|PATH=VALUE]...",
	.min_operands = 2,
	.max_operands = 256,
	.summary = "Reads or sets the state of a context that spind holds, while it runs",
	.options = rows,
	.about = "The fields are read and stored one by one, each as a whole, while handlers use them. Without a variable `get` shows all, "
		 "tables as well. Contexts of other users are for root.",
	.examples =
		(const struct example_row[]){
			{ "spinctl state get filtering routes", "The fields of a table that are not 0." },
			{ "spinctl state set filtering 'routes[5].port=7000'", "Set one." },
			{ 0 },
		},
};

const struct subcommand state_command = { "state", &row, state, &options };
