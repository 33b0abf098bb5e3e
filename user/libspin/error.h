/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIBSPIN_ERROR_H
#define USER_LIBSPIN_ERROR_H

/* The reason of a failure (spin_strerror_last()), of which each thread has its own, and the library's log. Used by all files of libspin. */
#define SPIN_ERROR_BYTES 1024

/* Stores the reason and returns `err` (negative). */
int spin_fail(int err, const char *format, ...) __attribute__((format(printf, 2, 3)));
#ifdef __clang_analyzer__
#define spin_fail(err, ...) \
	((void)(spin_fail)(err, __VA_ARGS__), (err)) /* the analyzer does not know the result of a function in another file */
#endif
void spin_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Routes libbpf's messages to the spin_set_log() callback. Acts only once. */
void spin_quiet_libbpf(void);

#endif
