/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_RUN_PUTS_H
#define USER_SPINCTL_RUN_PUTS_H

#include "user/spinctl/spinctl.h"

/* What became of packets that handlers sent; `puts` as registered, 0: they send none. */
void run_puts__text(struct spin_ctx *ctx);
void run_puts__json(struct json *j, struct spin_ctx *ctx, unsigned puts);

#endif
