/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_REFERENCE_STATE_H
#define TESTS_REFERENCE_STATE_H

/*
 * Reads and writes `spin_state`, the handlers' variables, of a reference (a plain-C model of the message protocol or of segments) that has
 * the interface of an engine (an execution of handlers). Used by engine_reference.c and by tests/segments/reference_engine.c.
 */
#include "user/conformance/engine.h"

/* The first member of what such an engine's `impl` points to. */
struct reference_state {
	void *at;
	size_t bytes;
};

/* For engine_ops. Other symbols are -ENOENT. */
int reference_state_read(struct engine *e, const char *symbol, size_t offset, void *to, size_t bytes);
int reference_state_write(struct engine *e, const char *symbol, size_t offset, const void *from, size_t bytes);

#endif
