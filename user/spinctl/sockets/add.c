/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl add: makes spind, the daemon that holds loaded handlers, attach handlers to an interface by a match rule. They stay attached
 * after this command ends. main.c runs it through add_command.
 */
#include "user/spinctl/sockets/find.h"
#include "user/spinctl/spinctl.h"
#include "user/tool/parse_enum.h"

static struct add_options {
	const char *device, *match, *name, *class, *broker;
} options = { .match = "udp" };

#define FIELD(name) offsetof(struct add_options, name)

static const struct option_row rows[] = {
	{ "dev", 0, OPTION_STRING, "IF", FIELD(device), "attach to this interface", .required = 1 },
	{ "match", 0, OPTION_STRING, "RULE", FIELD(match), "packets for the handlers (default: udp, all of them)" },
	{ "name", 0, OPTION_STRING, "NAME", FIELD(name), "of the context (default: the handler's)" },
	{ "class", 0, OPTION_STRING, "trusted|isolated", FIELD(class), "how the handlers are loaded (default: trusted)" },
	BROKER_OPTION(struct add_options, broker),
	{ 0 },
};

static int add(const char **operands, unsigned count)
{
	struct spin_socket_opts opts = { .bytes = sizeof(opts), .name = options.name, .broker = options.broker };
	struct spin_object *obj;
	int status = DONE;
	uint32_t id;

	(void)count;
	opts.trusted = !options.class || parse_enum__class(options.class) == SPIN_CLASS_TRUSTED;
	if (spin_object__open(operands[0], &obj))
		return report_error("%s", spin_strerror_last());
	if (spin_socket__add(obj, options.device, options.match, &opts, &id))
		status = report_error("%s", spin_strerror_last());
	else
		printf("%u\n", id);
	spin_object__close(obj);
	return status;
}

static const struct command_row row = {
	.name = "spinctl add",
	.operands = "FILE.spin",
	.min_operands = 1,
	.max_operands = 1,
	.summary = "Has spind attach handlers to an interface by a rule, and prints the context's number",
	.options = rows,
	.about =
		"The context is spind's: it stays when this command has ended, and until `spinctl stop`, or until the interface goes away. It "
		"shares the interface with those of sockets. The packets of its rule are all its own: such a context has no guard, and needs "
		"root. spind.conf can name contexts that spind adds when it starts (spind(8)).",
	.examples =
		(const struct example_row[]){
			{ "spinctl add filtering.spin --dev eth0 --match 'udp dport 9000' && spinctl stop filtering",
			  "Handlers that outlive the command that attached them, until they are stopped." },
			{ 0 },
		},
};

const struct subcommand add_command = { "add", &row, add, &options };
