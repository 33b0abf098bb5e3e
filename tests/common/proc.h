/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_PROC_H
#define TESTS_COMMON_PROC_H

/*
 * Child processes of a live measurement or test, and their time limits. Each dies with the program, however it ends. Their network
 * namespaces also disappear, because nothing else holds them.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Prints a message, ends all children and exits with status 1. */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/*
 * Ends all children on exit, on signals, and when a step exceeds its time limit. Call once at the start, and again in a child
 * that has children of its own.
 */
void proc_init(void);
/* Returns this time limit in seconds. */
unsigned proc_step_max_s(void);

/* Marks the end of a step and restarts the time limit, so that a test on a slow or busy machine also completes. */
void proc_progress(void);
/* Disables the time limit: the caller waits for children that have limits of their own. */
void proc_wait_long(void);

/* Runs fn(arg) in a child, in network namespace ns_fd, on one CPU with real-time priority. The child exits with its return value. */
pid_t proc_start(int ns_fd, int cpu, int (*fn)(void *arg), void *arg);
/* Runs a program in the same way, but without real-time priority. out_fd: its stdout and stderr, or -1 for /dev/null. */
pid_t proc_exec(int ns_fd, int cpu, int out_fd, char *const argv[]);
/* Returns 1 until the child has ended. */
int proc_alive(pid_t pid);
/* Returns the exit status, or 128 + the signal. */
int proc_wait(pid_t pid);
/* Ends one child and waits for it. */
void proc_stop(pid_t pid, int signal);

/* Runs a command line, without quoting, in a namespace. If it fails, dies with the command's output. */
void proc_run(int ns_fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Pins a process that is measured to one CPU, with priority over other processes. Use real time only for processes that block or yield when
 * they have nothing to do.
 */
void proc_pin(pid_t pid, int cpu, int real_time);
/* No process gets a higher priority from now on, here and in later children: for machines on which kernel threads cannot get it as well. */
void proc_disable_priority(void);
/* Returns the CPU time of a process so far, in ns. Also works for kernel threads. */
uint64_t proc_cpu_ns(pid_t pid);
uint64_t now_ns(void);

/* Zeroed memory shared with children. */
void *proc_shared(size_t bytes);

#endif
