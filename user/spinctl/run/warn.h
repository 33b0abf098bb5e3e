/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_RUN_WARN_H
#define USER_SPINCTL_RUN_WARN_H

/*
 * Warnings of spinctl run and recv about packets without handlers because they are long, and about losses that no counter shows: packets
 * that handlers send back, on a veth. Called by run.c and recv.c.
 */
#include "user/spinctl/run/options.h"

/* Called when everything is attached. It warns of long packets, and reads the modes now, because later an interface may have none. */
void run_warn__start(const struct session *set);
/*
 * Called after session__count(). Warns once per interface if packets that are sent back are lost there: on a veth the peer receives
 * XDP_TX frames only if it has a native XDP program. No warning while the peer is not visible.
 */
void run_warn__lost_replies(const struct session *set);

#endif
