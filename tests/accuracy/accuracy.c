/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * accuracy OUT.json [ROW...]: compares the NIC model with values measured on PsPIN's RTL, and prints and writes the differences. Run by
 * `make accuracy` and tests/model/calibration_rows_hold.sh. A calibration row is one such value (cycles, or an order of clusters) with the
 * function that measures it in the model. A row is exact (error 0) if the model's value equals the measurement to its last digit. Each row
 * runs in a child process, so that a hang or a crash does not affect other rows; the error of such a row is 1.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/common/measure/measure.h"

#include "tests/accuracy/accuracy.h"
#include "tests/accuracy/compare.h"

#define SECONDS_MAX 10
#define ROWS_MAX    1000

/* The rows of each file, and the bare-metal program that they run: $BUILD/tests/accuracy/IMAGE.elf. */
static const struct kind {
	const char *image;
	const struct row *rows;
} kinds[] = {
	{ "sequences", sequence_rows },   { "programs", path_rows },        { "programs", schedule_rows },
	{ "programs", command_rows },     { "programs", memory_rows },      { "straight", cache_rows },
	{ "shared_256", cache_256_rows }, { "shared_512", cache_512_rows }, { "shared_1024", cache_1024_rows },
};

struct result {
	const struct row *row;
	struct values values;
	int measured; /* 0: the row failed */
	int exact;
	double error;
	char reason[200];
};

static void run_child(const struct row *row, const char *image, int fd)
{
	static struct machine machine;
	struct values values = { 0 };
	const char *build = getenv("BUILD");
	char path[512];

	alarm(SECONDS_MAX);
	snprintf(path, sizeof(path), "%s/tests/accuracy/%s.elf", build ? build : "build", image);
	dup2(fd, STDOUT_FILENO);
	machine__open(&machine, path);
	row->measure(&machine, row, &values);
	/* the parent reads either these binary values, or text: the reason of a failure */
	if (write(fd, &values, sizeof(values)) != sizeof(values))
		_Exit(1);
	_Exit(0);
}

static void measure(struct result *result, const char *image)
{
	size_t have = 0;
	int fds[2], status;
	char data[sizeof(struct values)];
	ssize_t n;
	pid_t pid;

	if (pipe(fds) || (pid = fork()) < 0) {
		snprintf(result->reason, sizeof(result->reason), "%s", strerror(errno));
		return;
	}
	if (!pid) {
		close(fds[0]);
		run_child(result->row, image, fds[1]);
	}
	close(fds[1]);
	while (have < sizeof(data) && (n = read(fds[0], data + have, sizeof(data) - have)) > 0)
		have += (size_t)n;
	close(fds[0]);
	if (waitpid(pid, &status, 0) < 0)
		status = -1;
	if (WIFEXITED(status) && !WEXITSTATUS(status) && have == sizeof(data)) {
		memcpy(&result->values, data, sizeof(data));
		result->measured = 1;
	} else if (WIFSIGNALED(status)) {
		snprintf(result->reason, sizeof(result->reason), "%s", strsignal(WTERMSIG(status)));
	} else {
		snprintf(result->reason, sizeof(result->reason), "%.*s", (int)have, data);
	}
}

/* Returns 1 for the rows to which a note of the measurements applies: "Sends are the least trusted rows." */
static int is_uncertain(const struct row *row)
{
	return row->flags & ROW_DOUBT || strstr(row->name, "send");
}

static void print_row(const struct result *result)
{
	const struct row *row = result->row;
	char model[200] = "";
	int n = 0;

	for (unsigned i = 0; i < result->values.count && n < (int)sizeof(model) - 16; i++)
		n += snprintf(model + n, sizeof(model) - (size_t)n, "%s%.4g", i ? " " : "", result->values.v[i]);
	if (result->values.most > 0)
		snprintf(model + n, sizeof(model) - (size_t)n, " (%.4g-%.4g)", result->values.least, result->values.most);
	printf("%-15s %-34s %14s ", row->group, row->name, row->measured);
	if (!result->measured)
		printf("failed: %s\n", result->reason);
	else
		printf("%14s %8.2f %% %s%s\n", model, 100 * result->error, result->exact ? "exact" : "",
		       is_uncertain(row) ? " (less trusted)" : "");
}

/* One line of the summary: a set of rows. */
struct summary {
	double errors[ROWS_MAX];
	unsigned count, exact, failed;
};

static void summary__add(struct summary *summary, const struct result *result)
{
	summary->errors[summary->count++] = result->error;
	summary->exact += (unsigned)result->exact;
	summary->failed += !result->measured;
}

static void summary__print(struct summary *summary, const char *name)
{
	double median = measure_median(summary->errors, summary->count);

	if (!summary->count)
		return;
	printf("%-22s %4u rows, exact %5.1f %%, error: median %6.3f %%, worst %7.3f %%", name, summary->count,
	       100.0 * summary->exact / summary->count, 100 * median, 100 * summary->errors[summary->count - 1]);
	if (summary->failed)
		printf(", %u failed", summary->failed);
	printf("\n");
}

static void print_groups(const struct result *result, unsigned count)
{
	printf("\n");
	for (unsigned i = 0; i < count; i++) {
		static struct summary summary;

		if (i && !strcmp(result[i].row->group, result[i - 1].row->group))
			continue;
		summary.count = summary.exact = summary.failed = 0;
		for (unsigned k = 0; k < count; k++) {
			if (strcmp(result[k].row->group, result[i].row->group))
				continue;
			if (k < i)
				break;
			summary__add(&summary, &result[k]);
		}
		if (summary.count)
			summary__print(&summary, result[i].row->group);
	}
}

/*
 * Returns 1 if the measurement states all conditions that its value depends on. It does not for rows that depend on the state of the
 * cache's LFSR, for which the model's value is the median of a range, and for rows that the measurements themselves trust less.
 */
static int is_certain(const struct result *result)
{
	return result->values.most <= 1.01 * result->values.least && !is_uncertain(result->row);
}

/* Summarizes the idle rows, or those under load. */
static void summarize(struct summary *all, struct summary *certain, const struct result *result, unsigned count, unsigned load)
{
	all->count = certain->count = 0;
	for (unsigned i = 0; i < count; i++) {
		if ((result[i].row->flags & ROW_LOAD) != load)
			continue;
		summary__add(all, &result[i]);
		if (is_certain(&result[i]))
			summary__add(certain, &result[i]);
	}
}

static void add_errors(struct measure *m, struct summary *all, const struct summary *certain, unsigned load)
{
	static const char *const names[2][4] = { { "accuracy.idle.exact_share", "accuracy.idle.median_error", "accuracy.idle.worst_error",
						   "accuracy.idle.worst_error_certain" },
						 { "accuracy.load.exact_share", "accuracy.load.median_error", "accuracy.load.worst_error",
						   "accuracy.load.worst_error_certain" } };
	static const double worst_goal[2] = { 0.02, 0.05 };
	struct measure_row *row;

	row = measure_add(m, names[load][0], (double)all->exact / all->count, "rows");
	if (!load)
		measure_goal(row, MEASURE_AT_LEAST, 0.95, row->value);
	row = measure_add(m, names[load][1], measure_median(all->errors, all->count), "relative");
	if (load)
		measure_goal(row, MEASURE_AT_MOST, 0.01, row->value);
	row = measure_add(m, names[load][2], all->errors[all->count - 1], "relative");
	measure_goal(row, MEASURE_AT_MOST, worst_goal[load], row->value);
	measure_add(m, names[load][3], certain->count ? certain->errors[certain->count - 1] : NAN, "relative");
}

static void add_figures(struct measure *m, struct result *result, unsigned count)
{
	static struct summary all[2], certain[2]; /* idle, load */

	printf("\n");
	for (unsigned load = 0; load < 2; load++) {
		summarize(&all[load], &certain[load], result, count, load);
		if (!all[load].count)
			return;
		summary__print(&all[load], load ? "under load" : "idle");
		if (certain[load].count)
			summary__print(&certain[load], load ? "under load, certain" : "idle, certain");
		add_errors(m, &all[load], &certain[load], load);
	}
	all[0].count = 0;
	for (unsigned i = 0; i < count; i++)
		summary__add(&all[0], &result[i]);
	measure_add(m, "accuracy.median_error", measure_median(all[0].errors, count), "relative");
	measure_add(m, "accuracy.worst_error", all[0].errors[count - 1], "relative");
}

static void add_rows(struct measure *m, const struct result *result, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const struct row *row = result[i].row;
		struct measure_row *to;
		char name[64];

		snprintf(name, sizeof(name), "%s.%s", row->group, row->name);
		to = measure_add(m, name, result[i].measured ? result[i].values.v[0] : NAN, row->unit);
		measure_baseline(to, measured_first(row));
		to->error = result[i].error;
		measure_goal(to, MEASURE_AT_MOST, row->flags & ROW_LOAD ? 0.05 : 0.02, to->error);
	}
}

int main(int argc, char **argv)
{
	static struct result result[ROWS_MAX];
	static struct measure m;
	unsigned count = 0, failed = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: accuracy OUT.json [ROW...]\n");
		return 2;
	}
	measure_begin(&m, "accuracy");
	printf("%-15s %-34s %14s %14s %10s\n", "group", "row", "measured", "model", "error");
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		for (const struct row *row = kinds[k].rows; row->name; row++) {
			struct result *one = &result[count];
			int wanted = argc == 2;

			for (int a = 2; a < argc; a++)
				wanted |= !strncmp(row->name, argv[a], strlen(argv[a]));
			if (!wanted)
				continue;
			one->row = row;
			fflush(stdout);
			measure(one, kinds[k].image);
			compare(row, one->measured ? &one->values : NULL, &one->error, &one->exact);
			print_row(one);
			failed += !one->measured;
			count++;
		}
	}
	print_groups(result, count);
	add_figures(&m, result, count);
	add_rows(&m, result, count);
	if (measure_write(&m, argv[1]))
		perror(argv[1]);
	return failed ? 1 : 0;
}
