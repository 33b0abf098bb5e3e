/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * demo, run by `make demo` as root: runs sPIN handlers on traffic between two network namespaces, and on a program's own socket. Reports
 * their measured cost at XDP and their modelled cost on the cores of a PsPIN NIC (HPUs). A part that fails does not stop the others.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/proc.h"
#include "tests/demo/parts.h"

/* build/tests/demo/demo is two directories below build/ */
static void find_build(char *build, size_t bytes)
{
	ssize_t n = readlink("/proc/self/exe", build, bytes - 1);

	if (n < 0)
		die("cannot read /proc/self/exe");
	build[n] = '\0';
	for (int up = 0; up < 3; up++) {
		char *slash = strrchr(build, '/');

		if (slash)
			*slash = '\0';
	}
}

struct step {
	struct demo *demo;
	void (*fn)(struct demo *demo, void *arg);
	void *arg;
};

static int run_step(void *arg)
{
	const struct step *step = arg;

	proc_init();
	step->fn(step->demo, step->arg);
	return 0;
}

int demo_step(struct demo *demo, const char *what, void (*fn)(struct demo *demo, void *arg), void *arg)
{
	struct step step = { demo, fn, arg };
	uint64_t begin = now_ns();

	if (!proc_wait(proc_start(demo->lab.client.ns_fd, -1, run_step, &step)))
		return 0;
	printf("\n%s: given up after %.0f s: %s\n", what, (double)(now_ns() - begin) / 1e9,
	       "this machine is slow or busy, or the reason stands above; what was measured until then is in the summary");
	return -1;
}

int main(void)
{
	struct demo *demo = proc_shared(sizeof(*demo));
	struct summary *filtering = proc_shared(sizeof(*filtering)), *kvstore = proc_shared(sizeof(*kvstore));
	char build[PATH_MAX / 32], path[PATH_MAX / 16];
	uint64_t begin = now_ns();
	int incomplete;

	find_build(build, sizeof(build));
	snprintf(demo->handlers, sizeof(demo->handlers), "%s/handlers", build);
	snprintf(demo->programs, sizeof(demo->programs), "%s/tests/demo", build);
	setvbuf(stdout, NULL, _IOLBF, 0);
	measure_begin(&demo->measure, "demo");
	summary_begin(filtering, "filtering");
	summary_begin(kvstore, "kvstore");
	proc_init();
	lab_open(&demo->lab);
	proc_wait_long();

	incomplete = demo_filtering(demo, filtering) != 0;
	incomplete |= demo_kvstore(demo, kvstore) != 0;
	incomplete |= demo_sockets(demo) != 0;
	incomplete |= demo_memcached(demo) != 0;

	summary_print(filtering);
	summary_print(kvstore);
	printf("\nNot charged on the HPU, the same for every handler:\n");
	for (const char *const *line = pspin__assumptions(); *line; line++)
		printf("  %s\n", *line);
	summary_rows(filtering, &demo->measure);
	summary_rows(kvstore, &demo->measure);
	snprintf(path, sizeof(path), "%s/demo.json", build);
	if (measure_write(&demo->measure, path))
		die("cannot write %s", path);
	printf("\n%s written; %.0f s\n", path, (double)(now_ns() - begin) / 1e9);
	if (incomplete)
		printf("Not everything was measured: figures are missing. Run it again on a machine that does less.\n");
	return incomplete;
}
