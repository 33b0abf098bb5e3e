/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_STARTUP_H
#define USER_SPIND_STARTUP_H

/*
 * Adds the contexts (handlers on an interface by a match rule) that spind's configuration names. Called by front.c, the process that
 * accepts clients.
 */
#include "user/spind/settings.h"

/*
 * Asks the spind at `path` for each context that is missing, as a client of root would, in this process's network namespace, and waits
 * until it is loaded. Prints the first failure of each to stderr; the next call tries again. Returns how many are missing. Called by one
 * thread.
 */
unsigned startup__add(struct settings *settings, const char *path);

#endif
