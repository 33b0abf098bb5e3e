/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_REFERENCE_COMPARE_H
#define TESTS_REFERENCE_COMPARE_H

/*
 * Internals of the comparison of two engines (executions of the same handlers), shared by compare.c and compare_memory.c. The first engine
 * is the reference, a plain-C model of the message protocol.
 */
#include "tests/reference/schedule.h"

struct pair {
	struct engine *engine[2];
	struct engine_out out[2];
	struct spin_message_stats before[2];
	uint32_t now_ms;
	char *reason;
	size_t reason_bytes;
};

/* Stores how they differ; returns 1. */
int pair_differ(struct pair *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns the name of the second engine. */
const char *pair_name(const struct pair *p);

/* Compare the state after a step. Return 0 if it is the same, 1 if not, negative: engine_error(). */
int pair_compare_entries(struct pair *p, unsigned count);
int pair_compare_stats(struct pair *p);
int pair_compare_memory(struct pair *p, size_t host_bytes);

#endif
