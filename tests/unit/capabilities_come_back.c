/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that libspin restores the capabilities that it drops while it loads handlers in the isolated class (without CAP_PERFMON): after
 * success, and after a failure half-way because descriptors ran out. Run by tests/run.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "user/conformance/engine.h"
#include "kernel/caps.h"
#include <spin/libspin.h>

static int fail(const char *what)
{
	printf("FAIL: %s: %s\n", what, spin_strerror_last());
	return 1;
}

/* Returns 0 if it loads. */
static int load(const struct spin_object *object, const struct spin_rule *rule)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = SPIN_CLASS_ISOLATED };
	struct spin_ctx *ctx;
	int err = spin_ctx__create_opts(NULL, object, rule, &opts, &ctx);

	spin_ctx__destroy(ctx);
	return err;
}

int main(void)
{
	uint64_t before = kernel_caps__effective(), during;
	struct rlimit limit = { 0 }, few;
	struct spin_object *object;
	struct spin_rule rule;
	char path[512];
	int failed = 0, free_fd;

	if (geteuid()) {
		printf("skip: loading handlers needs root\n");
		return 77;
	}
	if (built_object("filtering", path, sizeof(path)) || spin_object__open(path, &object) || spin_rule__parse("udp", &rule))
		return fail("filtering");
	if (load(object, &rule) || kernel_caps__effective() != before)
		return fail("after loading");
	free_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	close(free_fd);
	getrlimit(RLIMIT_NOFILE, &limit);
	for (rlim_t more = 1; more < 6; more++) {
		few = (struct rlimit){ (rlim_t)free_fd + more, limit.rlim_max };
		if (setrlimit(RLIMIT_NOFILE, &few))
			return fail("setrlimit");
		failed += load(object, &rule) != 0;
		if (kernel_caps__effective() != before)
			return fail("after a failure the capabilities are not what they were");
	}
	setrlimit(RLIMIT_NOFILE, &limit);
	if (!failed)
		return fail("descriptors for one more are enough to load");
	if (kernel_caps__drop_for_isolated(&during) || kernel_caps__effective() == before || kernel_caps__restore(during) ||
	    kernel_caps__effective() != before)
		return fail("laid down and taken up");
	if (load(object, &rule))
		return fail("loading again");
	spin_object__close(object);
	return 0;
}
