/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * act_rewrite_d - datagrams whose port changes between the packets that handlers send (act_rewrite_d.h), with whole packets in L1, the
 * HPUs' fast memory. For tests/vectors/actions.
 */
#include <spin/spin.h>

#include "act_rewrite_d.h"

SPIN_HANDLERS(act_rewrite_d, .payload = act_rewrite_d_payload, .message_completion = act_rewrite_d_completion);
