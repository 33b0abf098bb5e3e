/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that the message after a failed bpf() call says what was missing (descriptors, memory, permission) and what to do, as ulimit -n or
 * seccomp. Descriptors are checked after any error, because libbpf takes a lack of them for an old kernel. If bpf() refuses the programs of
 * a context after it has taken their types, as a filter of system calls does, the verifier must not be blamed. Run by tests/run.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/shortage.h"
#include "tests/common/built.h"
#include "tests/common/expect.h"
#include <spin/libspin.h>

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

/* From now on bpf(BPF_PROG_LOAD) fails with this error. */
static void refuse_programs(unsigned error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_bpf, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, BPF_PROG_LOAD, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		fail("no filter of system calls");
}

static int create(struct spin_object *object, struct spin_ctx **ctx)
{
	struct spin_rule rule;

	return spin_rule__parse("udp", &rule) ? -EINVAL : spin_ctx__create(NULL, object, &rule, ctx);
}

/* In a child, which keeps the filter. */
static void check_refused_programs(unsigned error, const char *text)
{
	struct spin_object *object = built_open("filtering");
	struct spin_ctx *ctx;
	int status = 1;
	pid_t child;

	expect(0, create(object, &ctx), "a context"); /* and what libspin asks the kernel once */
	spin_ctx__destroy(ctx);
	child = fork();
	if (!child) {
		refuse_programs(error);
		expect(-(int)error, create(object, &ctx), "programs that bpf() refuses");
		if (!strstr(spin_strerror_last(), text) || strstr(spin_strerror_last(), "verifier"))
			differ(spin_strerror_last(), text);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		fail("the child's check");
	spin_object__close(object);
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
	skip_unless_root();
	check_refused_programs(EPERM, "seccomp");
	check_refused_programs(ENOMEM, "memory");
	check_refused_programs(E2BIG, "refuses to load");
	return 0;
}
