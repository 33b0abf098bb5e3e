/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "run.h"

#define LOOK_S 0.2 /* how often the interface is looked at */

static struct run_options {
	const char *device, *match, *ready_file;
	struct fill_options fill;
	double interval_s, duration_s;
	unsigned count, ready_fd;
	int json, state;
} options = { .match = "udp", .interval_s = 1, .ready_fd = ~0u };

#define FIELD(name) offsetof(struct run_options, name)

static const struct option_row rows[] = {
	{ "dev", 0, OPTION_STRING, "IF", FIELD(device), "the interface (required)" },
	{ "match", 0, OPTION_STRING, "RULE", FIELD(match),
	  "which datagrams: udp, ip4, ip6, src ADDR[/LEN], dst ADDR[/LEN], sport N, dport N (default: udp)" },
	FILL_OPTIONS(struct run_options, fill),
	{ "interval", 0, OPTION_SECONDS, "SEC", FIELD(interval_s),
	  "seconds between reports, 0: only the last (default: 1)" },
	{ "count", 0, OPTION_UINT, "N", FIELD(count), "end after N reports (default: 0, until a signal)" },
	{ "duration", 0, OPTION_SECONDS, "SEC", FIELD(duration_s),
	  "end after so many seconds (default: 0, until a signal)" },
	{ "ready-fd", 0, OPTION_UINT, "N", FIELD(ready_fd), "write \"ready\" to this descriptor once attached" },
	{ "ready-file", 0, OPTION_STRING, "PATH", FIELD(ready_file), "create this file once attached" },
	{ "state", 0, OPTION_FLAG, NULL, FIELD(state), "end with the fields of state and tables that are not 0" },
	{ "json", 0, OPTION_FLAG, NULL, FIELD(json), "one JSON object per line" },
	{ 0 },
};

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	stop = sig;
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int tell_ready(void)
{
	static const char word[] = "ready\n";
	int fd;

	if (options.ready_fd != ~0u) {
		if (write((int)options.ready_fd, word, sizeof(word) - 1) < 0)
			return complain("--ready-fd %u: %s", options.ready_fd, strerror(errno));
		close((int)options.ready_fd);
	}
	if (options.ready_file) {
		fd = open(options.ready_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		if (fd < 0 || write(fd, word, sizeof(word) - 1) < 0) {
			int err = errno;

			if (fd >= 0)
				close(fd);
			return complain("cannot write %s: %s", options.ready_file, strerror(err));
		}
		close(fd);
	}
	return DONE;
}

static void report(const struct run_printer *p, struct run_report *r, double time_s, int final)
{
	uint64_t packets[SPIN_REASON_COUNT];

	spin_ctx__counters(p->ctx, packets);
	for (unsigned i = 0; i < SPIN_REASON_COUNT; i++) {
		r->in_interval[i] = packets[i] - r->packets[i];
		r->packets[i] = packets[i];
	}
	r->interval_s = time_s - r->time_s;
	r->time_s = time_s;
	r->final = final;
	run_print__report(p, r);
}

static int watch(const struct run_printer *p)
{
	double start = now_s(), next = options.interval_s;
	struct run_report r = { 0 };
	unsigned reports = 0;
	int status = DONE;

	while (!stop && !status) {
		struct pollfd fd = { .fd = spin_ctx__event_fd(p->ctx), .events = POLLIN };
		double time_s = now_s() - start, wait_s = LOOK_S;

		if (options.interval_s > 0 && time_s >= next) {
			report(p, &r, time_s, 0);
			next += options.interval_s;
			if (next < time_s)
				next = time_s + options.interval_s;
			if (++reports == options.count)
				break;
		}
		if (options.duration_s > 0 && time_s >= options.duration_s)
			break;
		if (options.interval_s > 0 && next - time_s < wait_s)
			wait_s = next - time_s;
		if (options.duration_s > 0 && options.duration_s - time_s < wait_s)
			wait_s = options.duration_s - time_s;
		poll(&fd, 1, (int)(wait_s * 1000) + 1);
		if (spin_ctx__events(p->ctx, run_print__event, (void *)p) < 0)
			status = complain("%s", spin_strerror_last());
		if (spin_ctx__alive(p->ctx) < 0)
			status = complain("%s", spin_strerror_last());
		if (ferror(stdout))
			return complain("cannot write the output: %s", strerror(EPIPE));
	}
	spin_ctx__detach(p->ctx); /* before the last counts, so that they stay the last */
	spin_ctx__events(p->ctx, run_print__event, (void *)p);
	report(p, &r, now_s() - start, 1);
	return status;
}

static int set(void *ctx, const char *assignment)
{
	return spin_ctx__set(ctx, assignment);
}

static int insert(void *ctx, const char *table, const char *fields)
{
	return spin_ctx__table_insert(ctx, table, fields);
}

static int run_ctx(struct spin_nic *nic, const struct spin_object *object, struct spin_ctx *ctx,
		   const struct spin_rule *rule)
{
	struct fill_target target = { .arg = ctx, .set = set, .insert = insert };
	char text[256];
	struct run_printer printer = { .json = options.json, .state = options.state, .ctx = ctx,
				       .handler = spin_object__meta(object)->name,
				       .device = spin_nic__name(nic), .rule = text };
	int status = fill__apply(&options.fill, &target);

	if (status)
		return status;
	if (spin_ctx__attach(ctx))
		return complain("%s", spin_strerror_last());
	spin_rule__format(rule, text, sizeof(text));
	run_print__start(&printer);
	fflush(stdout);
	status = tell_ready();
	return status ? status : watch(&printer);
}

static int run(const char **operands, unsigned count)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct spin_object *object = NULL;
	struct spin_nic *nic = NULL;
	struct spin_ctx *ctx = NULL;
	struct spin_rule rule;
	int status;

	(void)count;
	if (!options.device) {
		fprintf(stderr, "spinctl run: missing: --dev IF; see spinctl run --help\n");
		return USAGE;
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	if (spin_rule__parse(options.match, &rule) || spin_object__open(operands[0], &object) ||
	    spin_nic__open(options.device, &nic) || spin_ctx__create(nic, object, &rule, &ctx))
		status = complain("%s", spin_strerror_last());
	else
		status = run_ctx(nic, object, ctx, &rule);
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
	spin_object__close(object);
	options__free_list(&options.fill.sets);
	options__free_list(&options.fill.inserts);
	options__free_list(&options.fill.files);
	return status;
}

static const struct command_row row = {
	.name = "spinctl run", .operands = "FILE.spin", .min_operands = 1, .max_operands = 1,
	.summary = "Attaches handlers to an interface and counts until SIGINT or SIGTERM",
	.options = rows,
	.notes = "The handlers end with this process, however it ends. Needs root.",
};

const struct subcommand run_command = { "run", &row, run, &options };
