/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Collects what libbpf, the verifier and the kernel log said about a failed call, for judge.c, cases.c and steps.c. One thread. It keeps
 * only the last call's text; `words_forget` begins the next one.
 */
#ifndef KERNEL_GUEST_OFFLOAD_WORDS_H
#define KERNEL_GUEST_OFFLOAD_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#define WORDS_BYTES     400
#define WORDS_LOG_BYTES (256 * 1024)

/* Logs contain messages and statistics, but no trace of states: the kernel's BPF_LOG_STATS. */
#define WORDS_LOG_LEVEL 4

extern char words_log[WORDS_LOG_BYTES]; /* the verifier's log buffer */

/* Captures libbpf's warnings and opens /dev/kmsg. Returns 0, or -1 with a line on stderr. */
int words_begin(void);

/* Clears the log, libbpf's warning, and the kernel's messages; warnings among those (WARNING, BUG, Oops) go to stderr. */
void words_forget(void);

/* Returns libbpf's last warning, or the kernel's netlink message that it quoted; "" if there was none. */
const char *words_of_libbpf(void);

/* What a driver wrote to the kernel's log since words_forget, joined, without repetitions; "" if nothing. */
void words_of_kernel(char *to, size_t bytes);

/*
 * Copies the log's last line that gives a reason, skipping statistics and warnings of the NFP driver. With `prefix` only lines that begin
 * with it count. Returns false if there is none; `to` is then unchanged.
 */
bool words_of_log(const char *prefix, char *to, size_t bytes);

/* Returns "EINVAL" for EINVAL and -EINVAL. */
const char *words_of_error(int err);

#endif
