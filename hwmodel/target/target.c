/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include "parameters.h"

static const struct pspin_target pspin_rtl = {
	.name = "pspin-rtl",
#define PARAMETER(name_, unit, value, low, high, text) .name_ = value,
#include "parameters.def"
#undef PARAMETER
};

const struct pspin_target *pspin_target__find(const char *name)
{
	return name && !strcmp(name, pspin_rtl.name) ? &pspin_rtl : NULL;
}

const char *pspin_target__name(const struct pspin_target *target)
{
	return target->name;
}

double pspin_target__clock_ghz(const struct pspin_target *target)
{
	return (double)target->clock_mhz / 1000.0;
}

uint64_t pspin_target__cycle_ps(const struct pspin_target *target)
{
	return 1000000 / target->clock_mhz;
}

unsigned pspin_target__runtime_cycles(const struct pspin_target *target)
{
	return (unsigned)target->runtime_cycles;
}
