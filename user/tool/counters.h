/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_TOOL_COUNTERS_H
#define USER_TOOL_COUNTERS_H

/* Printing a context's counters, by reason: spinctl run, status and cost. */
#include <stdint.h>

#include <spin/reason.h>

#include "user/lib/json.h"

/*
 * Counters as text rows and as JSON rows; reasons that never occurred are left out. `messages` 1: of a context that
 * takes messages, which consumes its packets and acknowledges them.
 */
void counters__text(const uint64_t *packets, int messages);
void counters__json(struct json *j, const uint64_t *packets, int messages);
/* What becomes of a packet for that reason: "pass", or of messages "ack". */
const char *counters__verdict(enum spin_reason reason, int messages);
/* 1: packets of a context that takes messages are acknowledged for this reason, if they ask for it. */
int counters__acknowledged(enum spin_reason reason);
uint64_t counters__sum(const uint64_t *packets);

#endif
