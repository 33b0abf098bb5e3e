/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * rtl-check SIMULATOR KIT WORK CLUSTERS OUT.json SIZES HANDLER...: run by `make rtl-check`. KIT is the directory that `make rtl-kit`
 * writes: images, packets and predicted cycles, one series per handler and packet size. Runs each series that has both single packets on an
 * idle NIC and a burst through the RTL simulator, a child process, and prints the cycles of the RTL next to those of the model. Exits with
 * 0 if everything was measured and all rows are ok, otherwise with 1.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/common/measure/measure.h"

#include "tests/rtl/rtl.h"

struct check {
	const char *simulator, *kit, *work, *clusters, *sizes; /* "64,512" */
	struct measure *measure;
	unsigned rows, ok;
};

/* Runs the simulator in its own directory. The caller is the child process. stdout and stderr go to the file `log` there. */
static void run_child(const struct check *c, const char *series, const char *slm, const char *work)
{
	if (chdir(work) || !freopen("log", "we", stdout) || dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
		_exit(127);
	execl(c->simulator, c->simulator, series, slm, c->clusters, (char *)NULL);
	fprintf(stderr, "rtl-check: %s: %s\n", c->simulator, strerror(errno));
	_exit(127);
}

/* Prints the last line of the log that starts with our prefix. */
static void print_last_line(const char *work)
{
	char path[1100], line[512], last[512] = "nothing; see its log\n";
	FILE *from;

	snprintf(path, sizeof(path), "%s/log", work);
	from = fopen(path, "re");
	while (from && fgets(line, sizeof(line), from))
		if (!strncmp(line, "rtl-check: ", 11) && !strstr(line, "active at"))
			snprintf(last, sizeof(last), "%s", line + 11);
	if (from)
		fclose(from);
	fprintf(stderr, "rtl-check: %s: the simulator says: %s", work, last);
}

static int simulate(const struct check *c, const char *series, const char *slm, const char *work)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		run_child(c, series, slm, work);
	if (pid < 0 || waitpid(pid, &status, 0) < 0) {
		perror("rtl-check");
		return -1;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	print_last_line(work);
	return -1;
}

static void print_rows(struct check *c, const char *handler, const char *bytes, const struct rtl_series *s)
{
	struct rtl_row rows[RTL_ROWS_MAX];
	size_t count = rtl_series__compare(s, rows);

	for (size_t i = 0; i < count; i++) {
		const struct rtl_row *row = &rows[i];
		struct measure_row *out;
		char name[64];

		printf("%-15s %5s  %-34s %10.1f %10.1f %8.2f %%  %s\n", handler, bytes, row->stage, row->rtl, row->model, 100 * row->error,
		       row->is_ok ? "ok" : "not ok");
		snprintf(name, sizeof(name), "rtl.%.16s.%.5s.%.34s", handler, bytes, row->stage);
		out = measure_add(c->measure, name, row->model, "cycles");
		measure_baseline(out, row->rtl);
		out->error = row->error;
		out->target = row->aim;
		out->ok = row->is_ok;
		c->rows++;
		c->ok += (unsigned)row->is_ok;
	}
	fflush(stdout);
}

static int make_directories(const char *path)
{
	char part[1100];

	for (const char *at = path; *at; at++) {
		snprintf(part, sizeof(part), "%.*s", (int)(at - path) + 1, path);
		if ((at[1] == '/' || !at[1]) && mkdir(part, 0777) && errno != EEXIST) {
			fprintf(stderr, "rtl-check: %s: %s\n", part, strerror(errno));
			return -1;
		}
	}
	return 0;
}

static void remove_traces(const char *work)
{
	char pattern[1100];
	glob_t old;

	snprintf(pattern, sizeof(pattern), "%s/*.log", work);
	if (!glob(pattern, 0, NULL, &old)) {
		for (size_t i = 0; i < old.gl_pathc; i++)
			unlink(old.gl_pathv[i]);
		globfree(&old);
	}
}

static int check_series(struct check *c, const char *handler, const char *bytes, const char *series)
{
	char slm[1024], work[1024];
	struct rtl_series s = { 0 };
	int rc;

	snprintf(slm, sizeof(slm), "%s/%s/slm", c->kit, handler);
	snprintf(work, sizeof(work), "%s/%s/%s", c->work, handler, bytes);
	if (make_directories(work))
		return -1;
	remove_traces(work);
	rc = simulate(c, series, slm, work) || rtl_series__read_model(&s, series) || rtl_series__read_rtl(&s, work);
	if (!rc)
		print_rows(c, handler, bytes, &s);
	remove_traces(work); /* hundreds of MB for a whole kit */
	rtl_series__free(&s);
	return rc ? -1 : 0;
}

static int check_handler(struct check *c, const char *handler)
{
	int rc = 0;

	for (const char *at = c->sizes; *at; at += strspn(at, ",")) {
		int digits = (int)strcspn(at, ",");
		char series[1024], bytes[16];

		snprintf(bytes, sizeof(bytes), "%.*s", digits, at);
		snprintf(series, sizeof(series), "%s/%s/%s-saturated", c->kit, handler, bytes);
		rc |= check_series(c, handler, bytes, series);
		at += digits;
	}
	return rc;
}

int main(int argc, char **argv)
{
	static struct measure measure;
	struct check c = { .measure = &measure };
	int rc = 0;

	if (argc < 8) {
		fprintf(stderr, "usage: rtl-check SIMULATOR KIT WORK CLUSTERS OUT.json SIZES HANDLER...\n");
		return 2;
	}
	c.simulator = argv[1];
	c.kit = argv[2];
	c.work = argv[3];
	c.clusters = argv[4];
	c.sizes = argv[6];
	measure_begin(&measure, "rtl-check");
	printf("%-15s %5s  %-34s %10s %10s %10s\n", "handler", "bytes", "stage (cycles, means)", "RTL", "model", "worst error");
	for (int i = 7; i < argc; i++)
		rc |= check_handler(&c, argv[i]);
	printf("%u of %u rows ok: bodies and HER to feedback within 1 %%, cold and bursts within 2 %%\n", c.ok, c.rows);
	if (measure_write(&measure, argv[5])) {
		fprintf(stderr, "rtl-check: %s cannot be written\n", argv[5]);
		rc = -1;
	}
	return rc || c.ok < c.rows ? 1 : 0;
}
