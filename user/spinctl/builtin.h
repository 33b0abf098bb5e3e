/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_BUILTIN_H
#define USER_SPINCTL_BUILTIN_H

/* Finds handlers that are shipped with sPIN. Called by spinctl recv and doctor, which load handlers that the user has not named. */
#include <limits.h>

/*
 * The fat object of a handler that comes with us ("copy_to_host"): from SPIN_HOME, or from a directory above the
 * executable, built (handlers/) or installed (share/spin/handlers/). DONE, or FAILED after a message.
 */
int builtin__find(const char *name, char path[PATH_MAX]);
/* Same, but prints nothing. Returns 1 if the object exists. */
int builtin__look(const char *name, char path[PATH_MAX]);

#endif
