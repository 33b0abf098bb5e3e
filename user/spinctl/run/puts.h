/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_RUN_PUTS_H
#define USER_SPINCTL_RUN_PUTS_H

/*
 * Prints counters of the packets that handlers have sent themselves: sent, lost or answered. Called and implemented by print.c of spinctl
 * run.
 */
#include "user/spinctl/spinctl.h"

/* puts: the number that the handlers register (SPIN_PUTS); 0: they send none, and nothing is printed. */
void run_puts__text(struct spin_ctx *ctx);
void run_puts__json(struct json *j, struct spin_ctx *ctx, unsigned puts);

#endif
