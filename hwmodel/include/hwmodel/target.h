/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_TARGET_H
#define HWMODEL_TARGET_H

/*
 * A target is a NIC to be modelled: PsPIN's structure with every number a parameter. Used by pspin__open(), and by spinctl, which reads
 * target files. The parameters, their units, bounds and sources are in one table, hwmodel/target/parameters.def. A target file lists the
 * differences from another target:
 *
 *	base = pspin-rtl        # if given, it must be first; default pspin-rtl
 *	clusters = 2
 *	link_mbps = 200000
 *
 * Built in: "pspin-rtl" (as its RTL was measured), "pspin" (as published), "pspin-pcie4" (behind its PCIe 4.0 x16), "spin-discrete",
 * "spin-integrated" (sPIN 4.2, 4.3) and "bluefield3-dpa" (one core of the card's data-path accelerator). Values are integers, or one of
 * a policy's names (scheduler = fair_hpu_time). A target that cannot be a NIC is refused, with file and line.
 */
#include <stddef.h>
#include <stdint.h>

struct pspin_target;

/* Returns a built-in target, or NULL. It must not be freed. */
const struct pspin_target *pspin_target__find(const char *name);
/* Names of the built-in targets, NULL-terminated. */
const char *const *pspin_target__names(void);

/* Returns a copy of `base`, which the caller must free; NULL: out of memory. */
struct pspin_target *pspin_target__copy(const struct pspin_target *base);
void pspin_target__free(struct pspin_target *target);

/*
 * Reads a target by name, or from a file if the argument has a '/' or '.'. Returns 0; -ENOENT, -EINVAL (err says file, line, what is
 * wrong and what is valid), -ENOMEM. The caller must free *out.
 */
int pspin_target__read(const char *name_or_path, struct pspin_target **out, char *err, size_t err_bytes);

/* Sets or gets one parameter by name. -ENOENT: no such parameter; -ERANGE: outside its bounds, which err says. */
int pspin_target__set(struct pspin_target *target, const char *parameter, uint64_t value, char *err, size_t err_bytes);
int pspin_target__get(const struct pspin_target *target, const char *parameter, uint64_t *value);

/* Checks that all parameters together make a NIC. Returns 0, or -EINVAL with a reason. Called by pspin__open(). */
int pspin_target__check(const struct pspin_target *target, char *err, size_t err_bytes);

/* The table's rows, in order; -ENOENT past the last. */
struct pspin_parameter {
	const char *name, *unit, *text; /* meaning, and source of its value */
	uint64_t low, high;
	const char *const *names; /* names of a policy's values, from 0 on; NULL: a number */
};
int pspin_target__parameter(unsigned i, struct pspin_parameter *out);
/* Parses a parameter's value: digits, or a policy's name. Returns 0; -EINVAL; -ENOENT: no such parameter. */
int pspin_target__value(const char *parameter, const char *text, uint64_t *value);
/* Returns the source of the target's value of a parameter: its file's words, or the table's text. NULL: no such parameter. */
const char *pspin_target__source(const struct pspin_target *target, const char *parameter);

const char *pspin_target__name(const struct pspin_target *target);
double pspin_target__clock_ghz(const struct pspin_target *target);
/* Picoseconds per cycle. */
uint64_t pspin_target__cycle_ps(const struct pspin_target *target);
/* Cycles from one handler start to the next on one HPU, in addition to the body (B + 9: PsPIN RTL). */
unsigned pspin_target__runtime_cycles(const struct pspin_target *target);

#endif
