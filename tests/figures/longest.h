/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_FIGURES_LONGEST_H
#define TESTS_FIGURES_LONGEST_H

/*
 * Finds the longest handler that keeps up with a line rate on the NIC model, for the figures that show time budgets of handlers:
 * figure_6_and_8.c and figure_spin_4.c.
 */
#include "tests/figures/figures.h"

/* Returns the longest handler time in ns with which a packet of this length still completes every packet_ns; NAN if there is none. */
double longest_at(struct figures *f, const struct pspin_target *target, unsigned bytes, double packet_ns);

#endif
