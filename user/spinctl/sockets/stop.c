/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl stop: detaches and frees handlers that the daemon spind holds. The programs that own the sockets continue without handlers.
 * main.c runs it through stop_command.
 */
#include <errno.h>
#include <unistd.h>

#include "user/spinctl/sockets/find.h"
#include "user/spinctl/spinctl.h"

#define CONTEXTS_MAX 4096 /* as many as spind's setting all-contexts allows */

static struct stop_options {
	const char *broker;
	int all;
} options;

static const struct option_row rows[] = {
	{ "all", 0, OPTION_FLAG, NULL, offsetof(struct stop_options, all), "every context of this user; as root, of all users" },
	BROKER_OPTION(struct stop_options, broker),
	{ 0 },
};

struct ids {
	uint32_t id[CONTEXTS_MAX];
	unsigned count;
};

static int collect(void *arg, const struct spin_socket_info *info)
{
	struct ids *ids = arg;

	if (ids->count < CONTEXTS_MAX && (!geteuid() || info->uid == geteuid()))
		ids->id[ids->count++] = info->id;
	return 0;
}

static int stop_all(void)
{
	static struct ids ids;

	if (spin_socket__list(options.broker, collect, &ids))
		return report_error("%s", spin_strerror_last());
	for (unsigned i = 0; i < ids.count; i++) {
		int err = spin_socket__stop(ids.id[i], options.broker);

		if (err && err != -ENOENT) /* it may have ended in the meantime */
			return report_error("%s", spin_strerror_last());
	}
	return DONE;
}

static int stop(const char **operands, unsigned count)
{
	int status = DONE;

	if (options.all)
		return count ? report_error("--all takes no names") : stop_all();
	if (!count)
		return report_error("name a context, or give --all; `spinctl list` shows them");
	for (unsigned i = 0; i < count && !status; i++) {
		uint32_t id;

		status = find__id(options.broker, operands[i], &id);
		if (!status && spin_socket__stop(id, options.broker))
			status = report_error("%s", spin_strerror_last());
	}
	return status;
}

static const struct command_row row = {
	.name = "spinctl stop",
	.operands = "[CONTEXT...]",
	.max_operands = 256,
	.summary = "Ends contexts that spind holds",
	.options = rows,
	.about = "The sockets stay open, and what comes is read as if there had never been handlers. Contexts of other users are for root.",
	.examples =
		(const struct example_row[]){
			{ "spinctl stop --all", "End every context of this user." },
			{ 0 },
		},
};

const struct subcommand stop_command = { "stop", &row, stop, &options };
