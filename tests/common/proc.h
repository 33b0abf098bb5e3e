/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_PROC_H
#define TESTS_COMMON_PROC_H

/*
 * The processes of a live measurement. Each one dies with the program, however
 * that ends, and with them the network namespaces, which have no other holders.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Ends with a message, status 1, and all children gone. */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/*
 * Ends all children on exit, on signals, and when a step takes far too long. Once, at the start; again in a child that has
 * children of its own.
 */
void proc_init(void);
/* The seconds that this is. */
unsigned proc_step_s(void);

/* A step is done: the time of proc_init() begins again, so that a slow or busy machine comes to an end, too. */
void proc_progress(void);
/* What follows may take any time: it waits for children that have limits of their own. */
void proc_wait_long(void);

/* Runs fn(arg) in a child, in network namespace ns_fd, on one CPU in real time; its return is the status. */
pid_t proc_start(int ns_fd, int cpu, int (*fn)(void *arg), void *arg);
/* Runs a program likewise, not in real time; out_fd: its stdout and stderr, or -1 for /dev/null. */
pid_t proc_exec(int ns_fd, int cpu, int out_fd, char *const argv[]);
/* 1 until the child has ended. */
int proc_alive(pid_t pid);
/* Exit status, or 128 + the signal. */
int proc_wait(pid_t pid);
/* Ends one child and waits for it. */
void proc_stop(pid_t pid, int signal);

/* A command line without quoting, in a namespace; dies with its output if it fails. */
void proc_run(int ns_fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * On one CPU, and ahead of what else the machine does: this is measured. Real
 * time is only for what blocks or yields when it has nothing to do.
 */
void proc_pin(pid_t pid, int cpu, int real_time);
/* From now on nothing is put ahead, here and in processes started later: for where kernel threads cannot be. */
void proc_stay_plain(void);
/* CPU time of a process so far (also of a kernel thread), ns. */
uint64_t proc_cpu_ns(pid_t pid);
uint64_t now_ns(void);

/* Zeroed memory shared with children. */
void *proc_shared(size_t bytes);

#endif
