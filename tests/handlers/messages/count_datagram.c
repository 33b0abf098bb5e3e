/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* count_datagram - counts runs of its payload handler, one per datagram. tests/bench/mpq.c compares its cost with count_message. */
#include "count_runs.h"

SPIN_HANDLERS(count_datagram, .payload = count_payload);
