/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TARGET_PARAMETERS_H
#define TARGET_PARAMETERS_H

/* Inside of a target, for the model. Each number stands once, in parameters.def. */
#include <hwmodel/target.h>

struct pspin_target {
	const char *name;
#define PARAMETER(name, unit, value, low, high, text) uint64_t name;
#include "parameters.def"
#undef PARAMETER
};

#endif
