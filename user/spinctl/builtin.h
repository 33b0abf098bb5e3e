/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_BUILTIN_H
#define USER_SPINCTL_BUILTIN_H

/* Finds handlers that are shipped with sPIN. Called by spinctl recv and doctor, which load handlers that the user has not named. */
#include <limits.h>

/*
 * Finds the fat object of a shipped handler ("copy_to_host") in SPIN_HOME or in a directory above the executable, built
 * (handlers/) or installed (share/spin/handlers/). Returns DONE, or FAILED after a message.
 */
int builtin__find(const char *name, char path[PATH_MAX]);
/* Same, but prints nothing. Returns 1 if the object exists. */
int builtin__lookup(const char *name, char path[PATH_MAX]);

#endif
