/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_TARGET_H
#define HWMODEL_TARGET_H

/*
 * A target NIC: PsPIN's structure with every number in it a parameter. The parameters, their units, bounds and
 * sources stand in one table, hwmodel/target/parameters.def. A target file says what differs from another target:
 *
 *	base = pspin-rtl        # first, if at all; else pspin-rtl
 *	clusters = 2
 *	link_mbps = 200000
 *
 * Built in: "pspin-rtl" (as its RTL was measured), "pspin" (as published), "pspin-pcie4" (behind
 * its PCIe 4.0 x16), "spin-discrete", "spin-integrated" (sPIN 4.2, 4.3) and "bluefield3-dpa" (one core of the card's
 * data-path accelerator). Values are integers, or one of a policy's names (scheduler = fair_hpu_time); what could not be a NIC is refused,
 * with file and line.
 */
#include <stddef.h>
#include <stdint.h>

struct pspin_target;

/* A built-in one, or NULL. It is never freed. */
const struct pspin_target *pspin_target__find(const char *name);
/* Names of the built-in ones, NULL-terminated. */
const char *const *pspin_target__names(void);

/*
 * A target of the caller's: a copy of `base`. NULL: no memory. To be freed.
 */
struct pspin_target *pspin_target__copy(const struct pspin_target *base);
void pspin_target__free(struct pspin_target *target);

/*
 * By name, or if there is a '/' or '.' in it by file. 0; -ENOENT, -EINVAL (err says file, line, what and what would do),
 * -ENOMEM. *out is to be freed.
 */
int pspin_target__read(const char *name_or_path, struct pspin_target **out, char *err, size_t err_bytes);

/* One parameter by name. -ENOENT: there is none; -ERANGE: outside its bounds, err says them. */
int pspin_target__set(struct pspin_target *target, const char *parameter, uint64_t value, char *err, size_t err_bytes);
int pspin_target__get(const struct pspin_target *target, const char *parameter, uint64_t *value);

/* Do all of them together make a NIC? 0 or -EINVAL and a reason. pspin__open() asks it. */
int pspin_target__check(const struct pspin_target *target, char *err, size_t err_bytes);

/* The table's rows in its order; -ENOENT past the last. */
struct pspin_parameter {
	const char *name, *unit, *text; /* what it is and where its value is from */
	uint64_t low, high;
	const char *const *names; /* of a policy's values, from 0 on; NULL: numbers */
};
int pspin_target__parameter(unsigned i, struct pspin_parameter *out);
/* A parameter's value from its words: digits, or a policy's name. 0; -EINVAL; -ENOENT: there is no such parameter. */
int pspin_target__value(const char *parameter, const char *text, uint64_t *value);
/* Where the target's value of a parameter is from: its file's words, or the table's text. NULL: there is no such parameter. */
const char *pspin_target__source(const struct pspin_target *target, const char *parameter);

const char *pspin_target__name(const struct pspin_target *target);
double pspin_target__clock_ghz(const struct pspin_target *target);
/* Picoseconds per cycle. */
uint64_t pspin_target__cycle_ps(const struct pspin_target *target);
/* Cycles from one handler start to the next on one HPU, beyond the body (B + 9: PsPIN RTL). */
unsigned pspin_target__runtime_cycles(const struct pspin_target *target);

#endif
