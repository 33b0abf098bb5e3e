/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl mpq: lists the messages whose packets are still arriving, of all processes, once or at intervals (MPQ: message processing queue,
 * the state of one such message). find.c finds them, print.c prints them. main.c runs it through mpq_command.
 */
#include <linux/capability.h>

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "kernel/caps.h"
#include "user/spinctl/mpq/mpq.h"
#include "user/tool/notify.h"

static struct mpq_options {
	const char *device;
	double watch_s;
	unsigned count;
	int json;
} options;

#define FIELD(name) offsetof(struct mpq_options, name)

/* clang-format off */
static const struct option_row rows[] = {
	{ "dev", 0, OPTION_STRING, "IF", FIELD(device), "only contexts on this interface" },
	{ "watch", 0, OPTION_SECONDS, "SEC", FIELD(watch_s),
	  "again every so many seconds, until a signal (default: 0, once)" },
	{ "count", 0, OPTION_UINT, "N", FIELD(count), "with --watch: end after N times (default: 0, until a signal)" },
	{ "json", 0, OPTION_FLAG, NULL, FIELD(json), "one JSON document; with --watch one per line" },
	{ 0 },
};
/* clang-format on */

static int show(void)
{
	struct mpq_context *context;
	unsigned count;
	int err = mpq_find__contexts(options.device, &context, &count);

	if (!err) {
		if (options.json)
			mpq_print__json(context, count, !(options.watch_s > 0));
		else
			mpq_print__text(context, count);
	}
	mpq_find__free(context, count);
	return err ? report_error("cannot list what is attached: %s", strerror(-err)) : DONE;
}

static int watch(void)
{
	double next = now_s();

	for (unsigned times = 1;; times++) {
		int status = show();

		fflush(stdout);
		if (status || ferror(stdout) || times == options.count)
			return status;
		next += options.watch_s;
		while (!signals__signal() && now_s() < next)
			poll(NULL, 0, (int)((next - now_s()) * 1000) + 1);
		if (signals__signal())
			return DONE;
		if (!options.json)
			putchar('\n');
	}
}

static int run(const char **operands, unsigned count)
{
	struct spin_nic *nic = NULL;

	(void)operands;
	(void)count;
	if (!(kernel_caps__effective() >> CAP_SYS_ADMIN & 1))
		return report_error("mpq reads the memory of all processes' contexts, for which the kernel wants CAP_SYS_ADMIN: "
				    "run it as root (sudo)");
	if (options.device && spin_nic__open(options.device, &nic))
		return report_error("%s", spin_strerror_last());
	spin_nic__close(nic);
	if (!(options.watch_s > 0))
		return show();
	signals__watch();
	return watch();
}

static const struct command_row row = {
	.name = "spinctl mpq",
	.summary = "Lists messages in flight, of all contexts on this machine that take messages",
	.options = rows,
	.notes = "Needs root.",
	.about = "A message in flight has a message processing queue (MPQ). It is waiting until its first packet comes, with "
		 "the others parked; then its header handler runs, and it is open until all packets are handled. One "
		 "without new packets for as long as the context allows is evicted.\n"
		 "\n"
		 "Each is shown with its source, its id, its age and the time since its last packet, the packets handled and, "
		 "once the last one came, how many there are, the first missing packet, parked packets, bytes that handlers "
		 "or flow control dropped, and the matching entry that it goes to.",
	.examples =
		(const struct example_row[]){
			{ "spinctl mpq", "What is in flight now." },
			{ "spinctl mpq --dev eth0 --json --watch 0.5 --count 2", "Twice, for a program." },
			{ 0 },
		},
};

const struct subcommand mpq_command = { "mpq", &row, run, &options };
