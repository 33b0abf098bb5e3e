/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_ACCURACY_COMPARE_H
#define TESTS_ACCURACY_COMPARE_H

/* Compares a calibration row (a value measured on PsPIN's RTL) with the NIC model's. Called by accuracy.c, which reports the error. */
#include "tests/accuracy/accuracy.h"

/*
 * Compares the model's values (NULL: it failed) with the measurement. A row is exact if the values agree to the digits of the
 * measurement; *error is then 0. For several values *error is the largest one. For an order of clusters or messages it is the edit
 * distance divided by the number of elements.
 */
void compare(const struct row *row, const struct values *model, double *error, int *exact);

/* Returns the first measured number, the baseline of the row. */
double measured_first(const struct row *row);

#endif
