/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* spinctl swap: replaces the handlers of a context that spind holds, between two packets. */
#include "user/spinctl/sockets/find.h"
#include "user/spinctl/spinctl.h"

static struct swap_options {
	const char *broker;
} options;

static const struct option_row rows[] = {
	BROKER_OPTION(struct swap_options, broker),
	{ 0 },
};

static int swap(const char **operands, unsigned count)
{
	struct spin_object *obj;
	uint32_t id;
	int status = find__id(options.broker, operands[0], &id);

	(void)count;
	if (status)
		return status;
	if (spin_object__open(operands[1], &obj))
		return report_error("%s", spin_strerror_last());
	if (spin_socket__swap(id, obj, options.broker))
		status = report_error("%s", spin_strerror_last());
	spin_object__close(obj);
	return status;
}

static const struct command_row row = {
	.name = "spinctl swap",
	.operands = "CONTEXT FILE.spin",
	.min_operands = 2,
	.max_operands = 2,
	.summary = "Replaces the handlers of a context that spind holds, while packets come",
	.options = rows,
	.about =
		"Each packet has the old handlers or the new ones, and none is lost. State, tables and counters stay, so their layout must "
		"be the same: otherwise nothing is replaced, and the message names what differs. Contexts of other users are for root.",
	.examples =
		(const struct example_row[]){
			{ "spinctl swap filtering filtering-new.spin", "A new version of the handlers, with the routes of the old one." },
			{ 0 },
		},
};

const struct subcommand swap_command = { "swap", &row, swap, &options };
