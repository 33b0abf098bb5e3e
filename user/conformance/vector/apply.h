/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_VECTOR_APPLY_H
#define USER_CONFORMANCE_VECTOR_APPLY_H

/*
 * Makes the memory changes that a vector (a test as text) lists, in the expected memory and on an engine (one way to execute a handler).
 * Implemented and called by run.c.
 */
#include "user/conformance/vector/vector.h"

/* Makes the changes on an engine, as an application would. Returns 0 or a negative errno with engine_error(). */
int vector_apply(const struct vector_changes *changes, const struct types *t, struct engine *e, struct image *want,
		 struct host_image *host);
/* Makes the changes only in the expected memory. */
int vector_apply_expected(const struct vector_changes *changes, const struct types *t, struct image *want, struct host_image *host);

#endif
