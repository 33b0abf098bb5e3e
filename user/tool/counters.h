/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_TOOL_COUNTERS_H
#define USER_TOOL_COUNTERS_H

/* Prints packet counters, one per reason (why a packet was passed, dropped or answered). Called by spinctl run, status, cost and others. */
#include <stdint.h>

#include <spin/reason.h>

#include "user/lib/json.h"

/*
 * Print counters as text rows and as JSON rows, without reasons that never occurred. `messages`: 1 for a context that takes
 * messages, which consumes its packets and acknowledges them.
 */
void counters__text(const uint64_t *packets, int messages);
void counters__json(struct json *j, const uint64_t *packets, int messages);
/* Returns the verdict on a packet with this reason: "pass"; "ack" for acknowledged packets of messages. */
const char *counters__verdict(enum spin_reason reason, int messages);
/* Returns 1 if a context that takes messages acknowledges packets with this reason, if they request it. */
int counters__acknowledged(enum spin_reason reason);
uint64_t counters__sum(const uint64_t *packets);

#endif
