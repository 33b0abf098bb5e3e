/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * clocks - handlers of datagrams record the time, random numbers and header fields that they read, which must be the same on all engines
 * (clocks.h). For tests/vectors/clocks.
 */
#include "clocks.h"

SPIN_HANDLERS(clocks, .header = clocks_header, .payload = clocks_payload, .message_completion = clocks_completion);
