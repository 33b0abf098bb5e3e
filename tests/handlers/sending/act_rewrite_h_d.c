/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_rewrite_h_d - datagrams whose port changes between the packets that handlers send (act_rewrite_d.h), with headers in L1, the HPUs'
 * fast memory, and the rest in L2. For tests/vectors/actions.
 */
#include <spin/spin.h>

#include "act_rewrite_d.h"

SPIN_HANDLERS(act_rewrite_h_d, .payload = act_rewrite_d_payload, .message_completion = act_rewrite_d_completion,
	      .bytes_in_l1 = SPIN_HEADERS_ONLY, .payload_aligned = 1);
