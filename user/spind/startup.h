/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPIND_STARTUP_H
#define USER_SPIND_STARTUP_H

#include "user/spind/settings.h"

/*
 * Adds the contexts that the configuration names, those that are not there yet, in this process's network namespace. Each waits for its
 * load; called by one thread. A failure is a line on stderr, the first time; it is tried again by the next call. Returns how many are still to be added.
 */
unsigned startup__add(struct settings *settings);

#endif
