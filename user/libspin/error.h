/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_ERROR_H
#define USER_LIBSPIN_ERROR_H

/* The reason of a failure, which spin_strerror_last() returns, and the library's log. A reason belongs to the calling thread. */
#define SPIN_ERROR_BYTES 1024

/* Remembers the reason and gives `err` (negative) back. */
int spin_fail(int err, const char *format, ...) __attribute__((format(printf, 2, 3)));
#ifdef __clang_analyzer__
#define spin_fail(err, ...) ((void)(spin_fail)(err, __VA_ARGS__), (err)) /* it sees no function's result in another file */
#endif
void spin_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Makes libbpf speak through spin_set_log(), once. */
void spin_quiet_libbpf(void);

#endif
