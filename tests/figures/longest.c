/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds the longest handler that keeps up with a line rate on the NIC model, by bisection (longest.h). Called by figure_6_and_8.c and
 * figure_spin_4.c.
 */
#include "tests/figures/longest.h"

#define ITERATIONS_MAX 4096 /* iterations of 4 cycles each */

static struct bench_result run_delay(struct figures *f, const struct pspin_target *target, unsigned bytes, unsigned iterations)
{
	const struct bench_run run = { .handler = "delay",
				       .packet_bytes = bytes,
				       .bytes_in_l1 = SPIN_WHOLE_PACKET,
				       .argument = iterations,
				       .has_argument = 1,
				       .at_once = 1,
				       .packets = 1024,
				       .messages = 32 };

	return figure__run(f, target, &run);
}

/* Bisects over the number of iterations, so the resolution is 4 cycles. */
double longest_at(struct figures *f, const struct pspin_target *target, unsigned bytes, double packet_ns)
{
	unsigned low = 0, high = ITERATIONS_MAX;
	struct bench_result keeps_up = run_delay(f, target, bytes, low);

	if (!(1 / keeps_up.packets_per_ns <= packet_ns * 1.001))
		return NAN;
	while (high - low > 1) {
		struct bench_result r = run_delay(f, target, bytes, (low + high) / 2);

		if (1 / r.packets_per_ns <= packet_ns * 1.001) {
			low = (low + high) / 2;
			keeps_up = r;
		} else {
			high = (low + high) / 2;
		}
	}
	return keeps_up.body_cycles / pspin_target__clock_ghz(target);
}
