/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_REFERENCE_ENGINE_REFERENCE_H
#define TESTS_REFERENCE_ENGINE_REFERENCE_H

/*
 * The reference in the clothes of an engine, for the handlers of msg_script.h: what engines
 * are compared with. Takes frames as frame_finish() makes them, to any port.
 */
#include "user/conformance/engine.h"

#include "tests/reference/reference.h"

/* -ENOENT: the handler is none that the reference knows. */
int engine_reference_open(const struct engine_handler *handler, const struct engine_context *context, enum reference_rule breaks,
			  struct engine **out);
struct reference *engine_reference(struct engine *e);

#endif
