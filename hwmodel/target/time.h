/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_TARGET_TIME_H
#define HWMODEL_TARGET_TIME_H

/*
 * Converts cycles of the NIC's clock and picoseconds, exactly for any clock: the length of a single cycle is never rounded. Called by nic/
 * and soc/driver.c.
 */
#include "hwmodel/target/parameters.h"

#define PS_PER_US 1000000u

static inline uint64_t time__ps(const struct pspin_target *target, uint64_t cycles)
{
	const uint64_t mhz = target->clock_mhz;

	return cycles / mhz * PS_PER_US + cycles % mhz * PS_PER_US / mhz;
}

/* Returns the last cycle that has begun by then; UINT64_MAX: forever. */
static inline uint64_t time__cycle(const struct pspin_target *target, uint64_t ps)
{
	const uint64_t mhz = target->clock_mhz;

	if (ps / PS_PER_US >= UINT64_MAX / mhz)
		return UINT64_MAX;
	return ps / PS_PER_US * mhz + (ps % PS_PER_US * mhz + mhz - 1) / PS_PER_US;
}

/* Returns the first cycle that begins then or later. */
static inline uint64_t time__cycle_from(const struct pspin_target *target, uint64_t ps)
{
	uint64_t cycle = time__cycle(target, ps);

	return cycle == UINT64_MAX || time__ps(target, cycle) >= ps ? cycle : cycle + 1;
}

#endif
