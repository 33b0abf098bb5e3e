/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* count_message - counts runs of its payload handler, for packets of messages */
#include "count_runs.h"

SPIN_HANDLERS(count_message, .payload = count_payload, .delivery = SPIN_DELIVER_ME);
