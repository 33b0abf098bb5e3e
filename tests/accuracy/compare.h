/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_ACCURACY_COMPARE_H
#define TESTS_ACCURACY_COMPARE_H

#include "tests/accuracy/accuracy.h"

/*
 * What the model says (NULL: it failed) against what was measured. Exact: to the digits of the measurement; then *error is 0.
 * Of several values the worst error counts; of an order of clusters or messages the share that would have to be put in, left
 * out or changed.
 */
void compare(const struct row *row, const struct values *model, double *error, int *exact);

/* The first measured number: a row's baseline. */
double measured_first(const struct row *row);

#endif
