/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* clocks - all three kinds of handlers record time, random numbers and headers of datagrams. */
#include "clocks.h"

SPIN_HANDLERS(clocks, .header = clocks_header, .payload = clocks_payload, .message_completion = clocks_completion);
