/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_TARGET_PARAMETERS_H
#define HWMODEL_TARGET_PARAMETERS_H

/*
 * struct pspin_target, the parameters of a NIC to be modelled: a field for each row of parameters.def, which has the defaults. A target
 * file overrides fields; target.c and target_file.c fill them in. Included by soc/, target/ and tests, which read the fields.
 */
#include <hwmodel/target.h>

/* TARGET_NAME for each row of parameters.def. */
enum target_parameter {
#define PARAMETER(name, unit, value, low, high, text) TARGET_##name,
#include "hwmodel/target/parameters.def"
#undef PARAMETER
	TARGET_PARAMETERS
};

/* Values of `scheduler`, in the order of their names in its unit. */
enum target_scheduler { TARGET_ROUND_ROBIN, TARGET_FAIR_HPU_TIME };

/* A target: a field for each parameter. */
struct pspin_target {
#define PARAMETER(name, unit, value, low, high, text) uint64_t name;
#include "hwmodel/target/parameters.def"
#undef PARAMETER
	char name[64];
	/* source of each value that differs from pspin-rtl's; never freed */
	const char *sources[TARGET_PARAMETERS];
};

/* Threads of a cluster: for programs each is an HPU with its own number, stack and driver. */
static inline unsigned target__threads(const struct pspin_target *target)
{
	return (unsigned)(target->hpus * target->hpu_threads);
}

/* Returns the number of a parameter's row, or -ENOENT. */
int target__find_parameter(const char *name);
/* Returns the address of the parameter's value. */
uint64_t *target__value(struct pspin_target *target, int parameter);
/* As pspin_target__set(), and sets its source. */
int target__set(struct pspin_target *target, int parameter, uint64_t value, const char *source, char *err, size_t err_bytes);
/* Returns the parameter's name that is most similar. */
const char *target__nearest(const char *name);
/* Writes the names of the built-in targets as a list for error messages. */
const char *target__list(char *list, size_t list_bytes);

#endif
