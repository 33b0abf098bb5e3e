/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_FIGURES_LONGEST_H
#define TESTS_FIGURES_LONGEST_H

/* Finds the longest handler that keeps up with a line rate, for the figures that show HPU time budgets. */
#include "tests/figures/figures.h"

/* Returns the longest handler time in ns with which packets of this length still complete every packet_ns; NAN: none. */
double longest_at(struct figures *f, const struct pspin_target *target, unsigned bytes, double packet_ns);

#endif
