/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <inttypes.h>
#include <stdio.h>

#include "spinctl.h"

uint64_t counters__sum(const uint64_t *packets)
{
	uint64_t sum = 0;

	for (unsigned r = 0; r < SPIN_REASON_COUNT; r++)
		sum += packets[r];
	return sum;
}

void counters__text(const uint64_t *packets)
{
	printf("%-16s %-7s %14s  %s\n", "reason", "verdict", "packets", "meaning");
	for (unsigned r = 0; r < SPIN_REASON_COUNT; r++)
		if (packets[r])
			printf("%-16s %-7s %14" PRIu64 "  %s\n", spin_reason_name(r),
			       spin_verdict_name(spin_reason_verdict(r)), packets[r], spin_reason_text(r));
	printf("%-16s %-7s %14" PRIu64 "\n", "all", "", counters__sum(packets));
}

void counters__json(struct json *j, const uint64_t *packets)
{
	json_uint(j, "packets", counters__sum(packets));
	json_array(j, "reasons");
	for (unsigned r = 0; r < SPIN_REASON_COUNT; r++) {
		if (!packets[r])
			continue;
		json_object(j, NULL);
		json_string(j, "reason", spin_reason_name(r));
		json_string(j, "verdict", spin_verdict_name(spin_reason_verdict(r)));
		json_uint(j, "packets", packets[r]);
		json_object_end(j);
	}
	json_array_end(j);
}
