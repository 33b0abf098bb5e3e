/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_SPIND_H
#define TESTS_COMMON_SPIND_H

/* A spind of the test's own, with a socket in a directory of its own, which everybody may enter. */
#include <sys/types.h>

struct spind {
	char directory[64], socket[96], settings[96];
	pid_t pid; /* 0: not running */
};

/* Starts it with the lines of a configuration ("" is none). Ends the test as skipped without root. */
void spind__start(struct spind *spind, const char *settings);
/* Starts it again at the same path. */
void spind__restart(struct spind *spind);
/* Ends the front process with this signal, and waits for it. */
void spind__end(struct spind *spind, int signal);
/* Ends it and all of its holders, and removes the directory. */
void spind__finish(struct spind *spind);
/* Processes that hold contexts for this spind. */
unsigned spind__holders(const struct spind *spind);
/* One of them; 0: there is none. */
pid_t spind__holder(const struct spind *spind);
void spind__kill_holders(const struct spind *spind);

/* Prints what it and its holders have said on stderr; returns how many lines. */
unsigned spind__complaints(const struct spind *spind);

struct spin_ctx;
struct spin_object;

/* Attaches handlers to a socket. NULL: it fails, and spin_strerror_last() says why. */
struct spin_ctx *spind__try_attach(const struct spind *spind, int fd, const struct spin_object *obj, const char *name);
/* The same; ends the test on failure. name NULL: the handler's. */
struct spin_ctx *spind__attach(const struct spind *spind, int fd, const struct spin_object *obj, const char *name);

/* This process becomes the user nobody, for good, with no capability. It dies with its parent. */
void spind__drop_privileges(void);

#endif
