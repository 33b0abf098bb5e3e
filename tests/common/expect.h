/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_EXPECT_H
#define TESTS_COMMON_EXPECT_H

/* What a function of libspin promises: its value, and the reason of its failure. Else the test ends as failed. */

/* Ends the test as failed, with the library's last reason. */
void fail(const char *what) __attribute__((noreturn));
void expect(long long want, long long got, const char *what);
/* The library's last reason has this text. */
void says(const char *text);

#endif
