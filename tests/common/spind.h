/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_SPIND_H
#define TESTS_COMMON_SPIND_H

/*
 * A spind (the daemon that attaches handlers to sockets for unprivileged users) that belongs to the test or benchmark, with its socket in a
 * new directory, which every user may enter.
 */
#include <sys/types.h>

struct spind {
	char directory[64], socket[96], settings[96];
	pid_t pid; /* 0: not running */
};

/*
 * Starts it with the lines of a configuration ("": none). Ends the test as skipped without root, or on a kernel without the isolated class,
 * which is what spind gives to users.
 */
void spind__start(struct spind *spind, const char *settings);
/* Starts it again at the same path. */
void spind__restart(struct spind *spind);
/* Ends the front process with this signal, and waits for it. */
void spind__kill(struct spind *spind, int signal);
/* Ends it and all its holders, and removes the directory. */
void spind__cleanup(struct spind *spind);
/* Runs the test in a child process, cleans up when it has ended, and returns its exit status. */
int spind__run_in_child(struct spind *spind, int (*test)(void));
/* Returns the number of processes that hold contexts for this spind. */
unsigned spind__holders(const struct spind *spind);
/* Returns one of them; 0 if there is none. */
pid_t spind__holder(const struct spind *spind);
void spind__kill_holders(const struct spind *spind);

/* Prints what it and its holders wrote to stderr, and returns the number of lines. */
unsigned spind__stderr_lines(const struct spind *spind);

struct spin_ctx;
struct spin_object;

/* Attaches handlers to a socket. Returns NULL on failure; spin_strerror_last() has the reason. */
struct spin_ctx *spind__try_attach(const struct spind *spind, int fd, const struct spin_object *obj, const char *name);
/* Same, but ends the test on failure. name NULL: the handler's name. */
struct spin_ctx *spind__attach(const struct spind *spind, int fd, const struct spin_object *obj, const char *name);

/* Makes this process the user nobody, permanently and without capabilities. It dies with its parent. */
void spind__drop_privileges(void);

#endif
