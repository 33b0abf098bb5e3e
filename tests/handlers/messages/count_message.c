/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* count_message - counts runs of its payload handler, for packets of messages. tests/bench/mpq.c compares its cost with count_datagram. */
#include "count_runs.h"

SPIN_HANDLERS(count_message, .payload = count_payload, .delivery = SPIN_DELIVER_ME);
