/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl swap: replaces handlers that the daemon spind has attached by others, between two packets. State is kept, or moved to the new
 * layout by --migrate. main.c runs it through swap_command.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "user/spinctl/sockets/find.h"
#include "user/spinctl/spinctl.h"

static struct swap_options {
	const char *broker;
	int migrate;
} options;

static const struct option_row rows[] = {
	{ "migrate", 0, OPTION_FLAG, NULL, offsetof(struct swap_options, migrate),
	  "move state and tables, whose layout may be another one" },
	BROKER_OPTION(struct swap_options, broker),
	{ 0 },
};

static int migrate(uint32_t id, const struct spin_object *obj)
{
	struct spin_migration done = { .bytes = sizeof(done) };

	if (spin_socket__migrate(id, obj, options.broker, &done))
		return report_error("%s", spin_strerror_last());
	printf("moved %" PRIu64 " bytes", done.moved_bytes);
	if (done.tries)
		printf("; packets waited for %" PRIu64 " us", (done.wait_ns + 999) / 1000);
	printf("\nlost: %s\n", *done.lost ? done.lost : "nothing");
	return 0;
}

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
	if (options.migrate)
		status = migrate(id, obj);
	else if (spin_socket__swap(id, obj, options.broker))
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
		"Each packet, and each piece of a TCP stream, has the old handlers or the new ones, and none is lost. State, tables, counters "
		"and open connections stay. The layout of state and tables must therefore be the same: otherwise nothing is replaced, and the "
		"message names what differs.\n\n"
		"With --migrate the layout may be another one. Fields are taken over by name, entries of tables by their key, of other arrays by "
		"their index. Integers keep their size, or become wider if they are unsigned; tables may have more entries, or fewer if what is in "
		"use has a place. What is new begins as the object says, what is gone is lost, and named. All this happens between two packets: "
		"those that come in the meantime wait, some tens of microseconds as a rule. What cannot be moved, such as the state of handlers "
		"of TCP streams, is refused by its name, and the old handlers go on. Programs that have the memory mapped must map it again "
		"(spin_socket__renew() of libspin(3)); `spinctl state` and `spinctl table` do so each time.\n\n"
		"Contexts of other users are for root.",
	.examples =
		(const struct example_row[]){
			{ "spinctl swap filtering filtering-new.spin", "A new version of the handlers, with the routes of the old one." },
			{ "spinctl swap --migrate filtering filtering-new.spin",
			  "The same where its tables may have become larger, or its entries have got another field." },
			{ 0 },
		},
};

const struct subcommand swap_command = { "swap", &row, swap, &options };
