/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The built-in targets (NICs to be modelled): pspin-rtl has the values of parameters.def, the others the changes in the files of
 * hwmodel/targets/, which the build embeds (embed.awk). Called by the tools, and by target_file.c for a base. Constant data.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwmodel/target/parameters.h"

/* a later initializer overrides an earlier one */
#ifdef __clang__
#pragma clang diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic ignored "-Woverride-init"
#endif

#define PARAMETER(name_, unit, value, low, high, text) .name_ = value,
static const struct pspin_target builtin[] = {
	{
		.name = "pspin-rtl",
#include "hwmodel/target/parameters.def"
	},
#include "targets.inc" /* made by embed.awk */
};
#undef PARAMETER
#define TARGET_NAMES
static const char *const names[] = { "pspin-rtl",
#include "targets.inc"
				     NULL };
#define BUILTIN (sizeof(builtin) / sizeof(builtin[0]))

const struct pspin_target *pspin_target__find(const char *name)
{
	for (unsigned i = 0; name && i < BUILTIN; i++)
		if (!strcmp(name, builtin[i].name))
			return &builtin[i];
	return NULL;
}

const char *const *pspin_target__names(void)
{
	return names;
}

const char *target__list(char *list, size_t list_bytes)
{
	size_t at = 0;

	*list = 0;
	for (unsigned i = 0; i < BUILTIN && at < list_bytes; i++)
		at += (size_t)snprintf(list + at, list_bytes - at, "%s%s", i ? ", " : "", names[i]);
	return list;
}

struct pspin_target *pspin_target__copy(const struct pspin_target *base)
{
	struct pspin_target *target = malloc(sizeof(*target));

	if (target)
		*target = *base;
	return target;
}

void pspin_target__free(struct pspin_target *target)
{
	free(target);
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
