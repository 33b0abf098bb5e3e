/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* act_work - messages whose handlers post work items (records for the program), as the payload says. For tests/vectors/actions. */
#include "act_work.h"

SPIN_HANDLERS(act_work, .header = work_header, .payload = work_payload, .message_completion = work_completion, .delivery = SPIN_DELIVER_ME);
