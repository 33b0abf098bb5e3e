/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/expect.h"
#include "user/libspin/libspin.h"

void fail(const char *what)
{
	printf("FAIL: %s (last reason: %s)\n", what, spin_strerror_last());
	exit(1);
}

void expect(long long want, long long got, const char *what)
{
	if (want == got)
		return;
	printf("%s: %lld instead of %lld\n", what, got, want);
	fail(what);
}

void says(const char *text)
{
	if (!strstr(spin_strerror_last(), text))
		fail(text);
}
