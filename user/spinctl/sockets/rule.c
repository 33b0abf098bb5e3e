/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl rule: changes which packets the handlers get that `spinctl add` or spind.conf attached to an interface, between two packets. The
 * daemon spind does it. main.c runs it through rule_command.
 */
#include "user/spinctl/sockets/find.h"
#include "user/spinctl/spinctl.h"

static struct rule_options {
	const char *broker;
} options;

static const struct option_row rows[] = {
	BROKER_OPTION(struct rule_options, broker),
	{ 0 },
};

static int set_rule(const char **operands, unsigned count)
{
	uint32_t id;
	int status = find__id(options.broker, operands[0], &id);

	(void)count;
	if (!status && spin_socket__set_rule(id, operands[1], options.broker))
		status = report_error("%s", spin_strerror_last());
	return status;
}

static const struct command_row row = {
	.name = "spinctl rule",
	.operands = "CONTEXT RULE",
	.min_operands = 2,
	.max_operands = 2,
	.summary = "Gives another rule to a context that `spinctl add` has made, while packets come",
	.options = rows,
	.about =
		"Packets that both rules match have handlers all the time, and each is handled once. State, tables and counters stay. A rule that "
		"overlaps with another context's is refused, and the old one goes on. A socket's context has the socket's rule, and no other. A "
		"context of spind.conf has that file's rule again when spind starts. For root.",
	.examples =
		(const struct example_row[]){
			{ "spinctl add filtering.spin --dev eth0 --match 'udp dport 9000' && spinctl rule filtering 'udp dport 9000-9009' && "
			  "spinctl stop filtering",
			  "Handlers of one port that get nine more." },
			{ 0 },
		},
};

const struct subcommand rule_command = { "rule", &row, set_rule, &options };
