/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The message after a failed bpf() call must say what was missing and what to do. Descriptors are checked after any error. Run by
 * tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/common/expect.h"
#include "kernel/shortage.h"

static void differ(const char *reason, const char *text)
{
	printf("message: %s\n", reason);
	fail(text);
}

static void expect_explained(int expected, int err, unsigned descriptors, const char *what)
{
	char reason[600] = "";

	expect(expected, kernel_shortage__explain(err, descriptors, reason, sizeof(reason)), what);
	if (expected && !strstr(reason, what))
		differ(reason, what);
}

int main(void)
{
	struct rlimit limit, few = { 20, 20 };
	int next;

	expect_explained(0, -EINVAL, 0, "nothing is short");
	expect_explained(0, -EINVAL, 8, "8 descriptors are to be had");
	expect_explained(-ENOMEM, -ENOMEM, 8, "no memory");
	expect_explained(-EPERM, -EPERM, 8, "bpf() is refused");
	expect_explained(-EPERM, -EACCES, 0, "seccomp");
	expect_explained(-ENFILE, -ENFILE, 0, "fs.file-max");
	expect_explained(-EMFILE, -EMFILE, 0, "ulimit -n");
	/* another error: libbpf reports an old kernel if its probe fails */
	getrlimit(RLIMIT_NOFILE, &limit);
	few.rlim_max = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &few))
		fail("setrlimit");
	expect_explained(-EMFILE, -EINVAL, 40, "may have 20 descriptors open");
	expect_explained(-EMFILE, -EOPNOTSUPP, 40, "ulimit -n 1024");
	expect_explained(0, -EINVAL, 4, "4 are to be had");
	setrlimit(RLIMIT_NOFILE, &limit);
	next = dup(0);
	expect_explained(0, -EINVAL, 40, "40 are to be had again");
	if (dup(0) != next + 1)
		fail("a descriptor is left open");
	return 0;
}
