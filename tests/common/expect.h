/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_EXPECT_H
#define TESTS_COMMON_EXPECT_H

/*
 * Checks the contract of a libspin function: its return value and the reason of a failure. A mismatch ends the test as failed. Used by
 * tests in tests/unit, tests/ring and others.
 */

/* Ends the test as failed, and prints the library's last reason. */
void fail(const char *what) __attribute__((noreturn));
void expect(long long want, long long got, const char *what);
/* Checks that the library's last reason contains this text. */
void expect_error_text(const char *text);
/* Ends the test as skipped if it may not load programs. */
void skip_unless_root(void);

#endif
