/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* clocks_me - all three kinds of handlers record time, random numbers and headers of messages. */
#include "clocks.h"

SPIN_HANDLERS(clocks_me, .header = clocks_header, .payload = clocks_payload, .message_completion = clocks_completion,
	      .delivery = SPIN_DELIVER_ME);
