/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl top: lists the contexts (attached packet handlers) of the daemon spind, the busiest first, refreshed each second on a terminal.
 * main.c runs it through top_command. Rates are differences between two lists; a context that is only in one of them has no rate.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ncurses.h>

#include "user/spinctl/sockets/find.h"
#include "user/spinctl/spinctl.h"
#include "user/tool/notify.h"

#define CONTEXTS_MAX 4096 /* as many as spind's setting all-contexts allows */

static struct top_options {
	const char *broker;
	double interval_s;
	int once, json;
} options = { .interval_s = 1 };

#define FIELD(name) offsetof(struct top_options, name)

static const struct option_row rows[] = {
	{ "interval", 0, OPTION_SECONDS, "SEC", FIELD(interval_s), "between two looks (default: 1)" },
	{ "once", 0, OPTION_FLAG, NULL, FIELD(once), "one look, to standard output, and no terminal" },
	{ "json", 0, OPTION_FLAG, NULL, FIELD(json), "with --once: one JSON document" },
	BROKER_OPTION(struct top_options, broker),
	{ 0 },
};

struct entry {
	struct spin_socket_info info; /* its pointers are valid only in the callback */
	char name[16];
	/* since the previous list, per second */
	double packets, dropped, hpu_percent;
};

/* The contexts at one time. */
struct snapshot {
	struct entry *entry;
	unsigned count;
	double time_s;
};

static int add(void *arg, const struct spin_socket_info *info)
{
	struct snapshot *snapshot = arg;
	struct entry *entry;

	if (snapshot->count == CONTEXTS_MAX)
		return 0;
	entry = realloc(snapshot->entry, (snapshot->count + 1) * sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	snapshot->entry = entry;
	entry += snapshot->count++;
	memset(entry, 0, sizeof(*entry));
	entry->info = *info;
	snprintf(entry->name, sizeof(entry->name), "%s", info->name);
	return 0;
}

static int read_list(struct snapshot *snapshot)
{
	free(snapshot->entry);
	*snapshot = (struct snapshot){ 0 };
	snapshot->time_s = now_s();
	return spin_socket__list(options.broker, add, snapshot);
}

static int busier(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->hpu_percent != y->hpu_percent)
		return x->hpu_percent < y->hpu_percent ? 1 : -1;
	return x->packets < y->packets ? 1 : x->packets > y->packets ? -1 : 0;
}

static void compute_rates(struct snapshot *now, const struct snapshot *before)
{
	const double s = now->time_s - before->time_s;

	for (unsigned i = 0; i < now->count; i++)
		for (unsigned k = 0; k < before->count; k++) {
			struct entry *e = &now->entry[i];
			const struct spin_socket_info *old = &before->entry[k].info;

			if (old->id != e->info.id || s <= 0)
				continue;
			e->packets = (double)(e->info.handled - old->handled) / s;
			e->dropped = (double)(e->info.over - old->over + e->info.refused - old->refused) / s;
			e->hpu_percent = (double)(e->info.busy_ns - old->busy_ns) / s / 1e7;
		}
	qsort(now->entry, now->count, sizeof(*now->entry), busier);
}

static const char heading[] = "ID      NAME               UID  CLASS     PACKETS/S    LOST/S   HPU %   HANDLED";

static void format(const struct entry *e, char *line, size_t bytes)
{
	snprintf(line, bytes, "%-7u %-15s %6u  %-8s %10.0f %9.0f %7.1f %9" PRIu64, e->info.id, e->name, e->info.uid,
		 spin_class_name(e->info.class), e->packets, e->dropped, e->hpu_percent, e->info.handled);
}

static void print_text(const struct snapshot *snapshot)
{
	char line[160];

	printf("%s\n", heading);
	for (unsigned i = 0; i < snapshot->count; i++) {
		format(&snapshot->entry[i], line, sizeof(line));
		printf("%s\n", line);
	}
}

static void print_json(const struct snapshot *snapshot)
{
	struct json j;

	json_begin(&j, stdout, 1);
	json_object(&j, NULL);
	json_array(&j, "contexts");
	for (unsigned i = 0; i < snapshot->count; i++) {
		const struct entry *e = &snapshot->entry[i];

		json_object(&j, NULL);
		json_uint(&j, "id", e->info.id);
		json_string(&j, "name", e->name);
		json_uint(&j, "uid", e->info.uid);
		json_double(&j, "packets_per_s", e->packets);
		json_double(&j, "lost_per_s", e->dropped);
		json_double(&j, "hpu_percent", e->hpu_percent);
		json_uint(&j, "handled", e->info.handled);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_object_end(&j);
	json_end(&j);
}

static void draw(const struct snapshot *snapshot)
{
	char line[160];

	erase();
	attron(A_REVERSE);
	mvaddnstr(0, 0, heading, COLS);
	attroff(A_REVERSE);
	for (unsigned i = 0; i < snapshot->count && (int)i + 2 < LINES; i++) {
		format(&snapshot->entry[i], line, sizeof(line));
		mvaddnstr((int)i + 1, 0, line, COLS);
	}
	mvaddnstr(LINES - 1, 0, "HPU %: of one CPU's time. q ends this.", COLS);
	refresh();
}

/* Waits for a key or the end of the interval. Returns 1 if the command must end. */
static int wait_for_key(void)
{
	timeout((int)(options.interval_s * 1000));
	return getch() == 'q' || signals__signal();
}

static int watch(struct snapshot snapshot[2])
{
	int now = 0, err = 0;

	signals__watch();
	if (!initscr())
		return report_error("this is not a terminal; --once prints one look");
	noecho();
	curs_set(0);
	do {
		compute_rates(&snapshot[now], &snapshot[!now]);
		draw(&snapshot[now]);
		if (wait_for_key())
			break;
		now = !now;
		err = read_list(&snapshot[now]);
	} while (!err);
	endwin();
	if (err)
		return report_error("%s", spin_strerror_last());
	signals__end();
	return DONE;
}

static int once(struct snapshot snapshot[2])
{
	usleep((useconds_t)(options.interval_s * 1e6));
	if (read_list(&snapshot[1]))
		return report_error("%s", spin_strerror_last());
	compute_rates(&snapshot[1], &snapshot[0]);
	(options.json ? print_json : print_text)(&snapshot[1]);
	return DONE;
}

static int top(const char **operands, unsigned count)
{
	struct snapshot snapshot[2] = { 0 };
	int status;

	(void)operands;
	(void)count;
	if (options.json && !options.once)
		return report_error("--json goes with --once"), USAGE;
	if (!options.once && (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)))
		return report_error("this is not a terminal; --once prints one look"), USAGE;
	if (read_list(&snapshot[0]))
		return report_error("%s", spin_strerror_last());
	status = options.once ? once(snapshot) : watch(snapshot);
	free(snapshot[0].entry);
	free(snapshot[1].entry);
	return status;
}

static const struct command_row row = {
	.name = "spinctl top",
	.operands = "",
	.summary = "Shows what the contexts of spind do now, the busiest first",
	.options = rows,
	.about =
		"PACKETS/S are those that handlers ran for. LOST/S are those that spind dropped: their handlers had had their part of the CPU, or "
		"made of them what would have gone to others. HPU % is the time of the handlers on all CPUs, 100 of one; it is 0 where spind "
		"sets no limit (hpu-time).",
	.examples =
		(const struct example_row[]){
			{ "spinctl top --once --interval 0.5", "One look, at what happens in half a second." },
			{ 0 },
		},
};

const struct subcommand top_command = { "top", &row, top, &options };
