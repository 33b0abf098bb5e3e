/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that the verifier accepts loops as users write them (tests/loops), in each class, in at most 950,000 steps; its limit is 1,000,000.
 * A file has several loops, and its steps are the total. The CPU time is printed but not checked, because it depends on the machine. Needs
 * root. Run by tests/run.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "tests/common/built.h"
#include <spin/libspin.h>

#define STEPS_MAX 950000u

static double slowest_s;

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Returns the verifier's steps for the context's program, or UINT32_MAX if the kernel does not report them. */
static uint32_t steps_of(const struct spin_ctx *ctx)
{
	struct bpf_prog_info info = { 0 };
	uint32_t bytes = sizeof(info);

	return bpf_obj_get_info_by_fd(spin_ctx__program_fd(ctx), &info, &bytes) ? UINT32_MAX : info.verified_insns;
}

/* Returns 1 after a message on failure. */
static int try_class(const struct spin_object *object, enum spin_class class, int *skipped)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = class };
	const char *name = spin_object__meta(object)->name;
	struct spin_ctx *ctx = NULL;
	struct spin_rule rule;
	uint32_t steps;
	double took_s;
	int err;

	if (spin_rule__parse("udp", &rule))
		return 1;
	took_s = cpu_s();
	err = spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx);
	took_s = cpu_s() - took_s;
	steps = err ? 0 : steps_of(ctx);
	spin_ctx__destroy(ctx);
	if (err == -ENOSYS || err == -EPERM) {
		printf("skip: %s, %s: %s\n", name, spin_class_name(class), spin_strerror_last());
		*skipped = 1;
		return 0;
	}
	slowest_s = took_s > slowest_s ? took_s : slowest_s;
	printf("%s, %s: %u steps, %.2f s\n", name, spin_class_name(class), steps, took_s);
	if (!err && steps <= STEPS_MAX)
		return 0;
	printf("FAIL  %s, %s: %s\n", name, spin_class_name(class), err ? spin_strerror_last() : "the verifier took too many steps");
	return 1;
}

static int try_object(const char *path, int *skipped)
{
	struct spin_object *object;
	int failed;

	if (spin_object__open(path, &object)) {
		printf("FAIL  %s\n", spin_strerror_last());
		return 1;
	}
	failed = try_class(object, SPIN_CLASS_TRUSTED, skipped);
	/* messages are for the trusted class only */
	if (spin_object__meta(object)->registration.delivery != SPIN_DELIVER_ME)
		failed |= try_class(object, SPIN_CLASS_ISOLATED, skipped);
	spin_object__close(object);
	return failed;
}

static int is_object(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".spin");
}

int main(void)
{
	int count, failed = 0, skipped = 0;
	struct dirent **list;
	char directory[512], path[1024];

	if (geteuid()) {
		puts("skip: loading programs needs root");
		return 77;
	}
	snprintf(directory, sizeof(directory), "%s/tests/loops", built_dir());
	count = scandir(directory, &list, is_object, alphasort);
	if (count <= 0) {
		printf("FAIL  %s has no objects\n", directory);
		return 1;
	}
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, list[i]->d_name);
		failed |= try_object(path, &skipped);
		free(list[i]);
	}
	free(list);
	printf("the slowest took %.2f s\n", slowest_s);
	return failed ? 1 : skipped ? 77 : 0;
}
