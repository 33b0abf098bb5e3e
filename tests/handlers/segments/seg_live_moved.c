/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * seg_live_moved - seg_live with a field more at the start of its state, `moved`, which only these handlers count. It replaces seg_live
 * while connections are open; for tests/segments/handlers_change_under_load.c.
 */
#define SEG_LIVE_MOVED
#include "seg_live.c"
