/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_RUN_NOTE_H
#define USER_SPINCTL_RUN_NOTE_H

/* Warnings of spinctl run about losses that no counter shows. Called by run.c in each interval. */
#include "user/spinctl/run/options.h"

/* Once all is attached: later the interfaces may have no mode any more. */
void run_note__start(const struct session *set);
/*
 * After session__count(). Says once for an interface on stderr that packets sent back are lost there: XDP_TX on a
 * veth arrives only at an end that runs NAPI. Silent while the other end is not visible.
 */
void run_note__lost_replies(const struct session *set);

#endif
