/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_LOAD_PROGRESS_H
#define USER_LIB_LOAD_PROGRESS_H

/* Progress messages on stderr while the kernel verifies a command's programs. Called once when the process starts. */
struct load_progress {
	const char *command; /* "spinctl" */
	const char *file;    /* the handler's file; NULL: the context's name */
	int reported;        /* 1: where stderr is not a terminal, of the program that is verified now */
	char program[64];    /* that one */
};

/*
 * For spin_set_load_progress(): on a terminal one line, which is written again each second and erased at the end; elsewhere
 * a line for each program that has taken 10 s.
 */
void load_progress__print(void *progress, const char *context, const char *program, double seconds);

#endif
