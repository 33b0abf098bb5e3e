/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_LOAD_PROGRESS_H
#define USER_LIB_LOAD_PROGRESS_H

/* Progress messages of spinctl and spincc on stderr while the kernel verifies programs. A command has one struct for all its loads. */
struct load_progress {
	const char *command; /* "spinctl" */
	const char *file;    /* the handler's file; NULL: the context's name */
	int reported;        /* 1: the line for `program` was printed (stderr is not a terminal) */
	char program[64];    /* the one that is verified now */
};

/*
 * Callback for spin_set_load_progress(). On a terminal it prints one line, updates it each second and erases it at the end; elsewhere
 * it prints one line for each program that has taken 10 s.
 */
void load_progress__print(void *progress, const char *context, const char *program, double seconds);

#endif
