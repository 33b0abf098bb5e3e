/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * seg_live_moved - seg_live with another layout of its state, which replaces it while connections are open; for tests/segments. Only these
 * handlers count `moved`.
 */
#define SEG_LIVE_MOVED
#include "seg_live.c"
