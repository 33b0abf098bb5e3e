/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_STARTUP_H
#define USER_SPIND_STARTUP_H

/* Adds the contexts that the configuration names. Called by front.c. */
#include "user/spind/settings.h"

/*
 * Asks the spind at `path` for those that are not there yet, as a client of root's would, in this process's network namespace; waits for each to be
 * loaded. A failure is a line on stderr, the first time, and is tried again by the next call. Returns how many are missing. Called by one
 * thread.
 */
unsigned startup__add(struct settings *settings, const char *path);

#endif
