/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_TOOL_COMPILE_H
#define USER_TOOL_COMPILE_H

/* Runs spincc, the compiler of handlers, for commands of spinctl that are given a source file. */
#include "user/lib/options.h"

/*
 * Runs spincc, from the executable's directory or else from PATH. Its diagnostics go to stderr unchanged. target: "fat", "nfp",
 * "rv32" or "host". extra: further options for spincc, NULL: none. Returns DONE, or FAILED after a message.
 */
int compile__run(const char *source, const char *target, const char *output, int verify, const struct option_list *extra);

#endif
