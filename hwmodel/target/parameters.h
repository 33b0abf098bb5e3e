/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_TARGET_PARAMETERS_H
#define HWMODEL_TARGET_PARAMETERS_H

/*
 * struct pspin_target, for the model: a field for each row of parameters.def, where each default stands once. A target file
 * overrides fields; target.c and target_file.c fill them.
 */
#include <hwmodel/target.h>

enum target_parameter {
#define PARAMETER(name, unit, value, low, high, text) TARGET_##name,
#include "hwmodel/target/parameters.def"
#undef PARAMETER
	TARGET_PARAMETERS
};

/* Values of `scheduler`, in the order of their names in its unit. */
enum target_scheduler { TARGET_ROUND_ROBIN, TARGET_FAIR_HPU_TIME };

struct pspin_target {
#define PARAMETER(name, unit, value, low, high, text) uint64_t name;
#include "hwmodel/target/parameters.def"
#undef PARAMETER
	char name[64];
	/* where a value is from that is not pspin-rtl's; never freed */
	const char *sources[TARGET_PARAMETERS];
};

/* Of a cluster: each is an HPU of its own for programs, with a number, a stack and a driver. */
static inline unsigned target__threads(const struct pspin_target *target)
{
	return (unsigned)(target->hpus * target->hpu_threads);
}

/* Number of a parameter's row, or -ENOENT. */
int target__find_parameter(const char *name);
/* The parameter's place. */
uint64_t *target__value(struct pspin_target *target, int parameter);
/* As pspin_target__set(), with the source that it has from then on. */
int target__set(struct pspin_target *target, int parameter, uint64_t value, const char *source, char *err, size_t err_bytes);
/* The parameter whose name is most like this one, or NULL. */
const char *target__nearest(const char *name);
/* Names of the built-in targets, as a reason has them. */
const char *target__list(char *list, size_t list_bytes);

#endif
