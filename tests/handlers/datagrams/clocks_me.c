/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * clocks_me - clocks.c for messages: handlers record the time, random numbers and header fields that they read (clocks.h). For
 * tests/vectors/clocks.
 */
#include "clocks.h"

SPIN_HANDLERS(clocks_me, .header = clocks_header, .payload = clocks_payload, .message_completion = clocks_completion,
	      .delivery = SPIN_DELIVER_ME);
