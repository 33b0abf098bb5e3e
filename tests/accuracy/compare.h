/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_ACCURACY_COMPARE_H
#define TESTS_ACCURACY_COMPARE_H

/* Compares a calibration row of PsPIN's RTL with the model's value. Called by accuracy.c. */
#include "tests/accuracy/accuracy.h"

/*
 * Compares the model's values (NULL: it failed) with the measurement. A row is exact if the values agree to the digits of the
 * measurement; *error is then 0. For several values the worst error counts. For an order of clusters or messages the error is
 * the share of elements to insert, remove or change.
 */
void compare(const struct row *row, const struct values *model, double *error, int *exact);

/* Returns the first measured number: a row's baseline. */
double measured_first(const struct row *row);

#endif
