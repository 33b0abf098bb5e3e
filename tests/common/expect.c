/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Compares results of libspin: a value, an error and its reason. A failure is printed and ends the test. Used by tests in tests/unit,
 * tests/ring and others (expect.h).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/probe.h"
#include "tests/common/expect.h"
#include <spin/libspin.h>

void fail(const char *what)
{
	printf("FAIL: %s (last reason: %s)\n", what, spin_strerror_last());
	exit(1);
}

/* Skips the test, with the reason, if it failed only because the kernel has no may_goto. */
static void skip_too_old(long long err)
{
	if (err != -ENOSYS || kernel_probe__may_goto())
		return;
	printf("skip: %s\n", spin_strerror_last());
	exit(77);
}

void expect(long long want, long long got, const char *what)
{
	if (want == got)
		return;
	skip_too_old(got);
	printf("%s: %lld instead of %lld\n", what, got, want);
	fail(what);
}

void skip_unless_root(void)
{
	if (!geteuid())
		return;
	puts("skip: not root: programs cannot be loaded");
	exit(77);
}

void expect_error_text(const char *text)
{
	if (!strstr(spin_strerror_last(), text))
		fail(text);
}
