/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_VECTOR_COMPARE_H
#define USER_CONFORMANCE_VECTOR_COMPARE_H

/*
 * Compares the result of one step (packet or clock) of a vector (a test as text) with its expectation. Called by run.c and spinctl replay.
 * Tests may change the expectation first (`mutation`), to check that the comparison notices it.
 */
#include "user/conformance/vector/vector.h"

/* Adds deviations from the expectation to the result's differences. `mutation` changes the expectation first. */
void vector_compare(const struct vector_step *step, const struct types *t, enum vector_mutation mutation, struct vector_result *r);

/* Compares host memory, matching entries and their counters. */
void vector_compare_images(struct differences *d, const struct host_image *want, const struct host_image *got);

/* Compares the sends. */
void vector_compare_sends(const struct vector_step *step, int mutation, struct vector_result *r);

#endif
