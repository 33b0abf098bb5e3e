/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_TOOL_COMPILE_H
#define USER_TOOL_COMPILE_H

/* Compiles handlers for commands that take sources, by running spincc. */
#include "user/lib/options.h"

/*
 * Runs spincc: the one beside spinctl, else the one in PATH. Its diagnostics go to
 * stderr as they are. target: "fat", "nfp" or "host". DONE, or FAILED after a message.
 */
int compile__run(const char *source, const char *target, const char *output, int verify, const struct option_list *words);
/* A directory and all in it. */
void compile__remove_directory(const char *path);

#endif
