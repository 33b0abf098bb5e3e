/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCC_LOOPS_H
#define USER_SPINCC_LOOPS_H

#include "user/spincc/spincc.h"

/*
 * Copies unoptimised LLVM IR from one file to another, and rewrites its SPIN_FOR_EACH and SPIN_FOR loops so that the kernel's
 * verifier terminates on them: in each iteration it adds a zero, whose value the verifier does not know, to the local integers that a
 * body with branches changes (loops.c). Also sets two variables of the runtime: whether walks count their steps, and how much of a payload
 * the handlers look at (reach.h). Called by build.c. Returns 0, or -1 after a message.
 */
int loops__write(const struct spincc *s, const char *from, const char *to);

#endif
