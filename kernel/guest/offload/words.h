/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Collects what libbpf, the verifier and the kernel log said about a failed call, for judge.c and cases.c. One thread. It keeps
 * only the last call's text; `words_forget` begins the next one.
 */
#ifndef KERNEL_GUEST_OFFLOAD_WORDS_H
#define KERNEL_GUEST_OFFLOAD_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#define WORDS_BYTES     400
#define WORDS_LOG_BYTES (256 * 1024)

/* Logs get messages and statistics, no trace of the states: the kernel's BPF_LOG_STATS. */
#define WORDS_LOG_LEVEL 4

extern char words_log[WORDS_LOG_BYTES]; /* for verifiers to write */

/* Takes libbpf's warnings and opens /dev/kmsg. 0, or -1 with a line on stderr. */
int words_begin(void);

/* Forgets the log, libbpf's warning, and the kernel's messages, whose warnings (WARNING, BUG, Oops) go to stderr. */
void words_forget(void);

/* libbpf's last warning, or the kernel's message by netlink that it quoted; "" if there was none. */
const char *words_of_libbpf(void);

/* What a driver wrote to the kernel's log since words_forget, joined, without repetitions; "" if nothing. */
void words_of_kernel(char *to, size_t bytes);

/*
 * The log's last line that gives a reason: no statistics, and no warning of the NFP driver. With `prefix` only lines that
 * begin so. False: there is none, and `to` is untouched.
 */
bool words_of_log(const char *prefix, char *to, size_t bytes);

/* "EINVAL", for EINVAL and -EINVAL. */
const char *words_of_error(int err);

#endif
