/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Prints packet counters as text and JSON. There is one counter per reason: why a packet was passed, dropped or answered. A reason that
 * never occurred has no row. Called by spinctl run, status, cost and others.
 */
#include <inttypes.h>
#include <stdio.h>

#include <spin/libspin.h>

#include "user/tool/counters.h"

uint64_t counters__sum(const uint64_t *packets)
{
	uint64_t sum = 0;

	for (unsigned r = 0; r < SPIN_REASON_COUNT; r++)
		sum += packets[r];
	return sum;
}

int counters__acknowledged(enum spin_reason reason)
{
	return reason >= SPIN_REASON_SUCCESS && reason < SPIN_REASON_NO_ME && reason != SPIN_REASON_MALFORMED;
}

const char *counters__verdict(enum spin_reason reason, int messages)
{
	return messages && counters__acknowledged(reason) ? "ack" : spin_verdict_name(spin_reason_verdict(reason));
}

static const char *meaning(enum spin_reason reason, int messages)
{
	if (messages && reason == SPIN_REASON_SUCCESS)
		return "handled";
	if (messages && reason == SPIN_REASON_PROCEEDED)
		return "default action: put into host memory";
	return spin_reason_text(reason);
}

void counters__text(const uint64_t *packets, int messages)
{
	printf("%-16s %-7s %14s  %s\n", "reason", "verdict", "packets", "meaning");
	for (unsigned r = 0; r < SPIN_REASON_COUNT; r++)
		if (packets[r])
			printf("%-16s %-7s %14" PRIu64 "  %s\n", spin_reason_name(r), counters__verdict(r, messages), packets[r],
			       meaning(r, messages));
	printf("%-16s %-7s %14" PRIu64 "\n", "all", "", counters__sum(packets));
}

void counters__json(struct json *j, const uint64_t *packets, int messages)
{
	json_uint(j, "packets", counters__sum(packets));
	json_array(j, "reasons");
	for (unsigned r = 0; r < SPIN_REASON_COUNT; r++) {
		if (!packets[r])
			continue;
		json_object(j, NULL);
		json_string(j, "reason", spin_reason_name(r));
		json_string(j, "verdict", counters__verdict(r, messages));
		json_uint(j, "packets", packets[r]);
		json_object_end(j);
	}
	json_array_end(j);
}
