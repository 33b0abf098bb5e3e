/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_REFERENCE_ENGINE_REFERENCE_H
#define TESTS_REFERENCE_ENGINE_REFERENCE_H

/*
 * The reference, a plain-C model of the message protocol, with the interface of an engine (an execution of handlers), for the handlers of
 * msg_script.h. Tests in tests/messages and tests/live compare other engines with it. It takes frames as frame_finish() makes them, to any
 * port.
 */
#include "user/conformance/engine.h"

#include "tests/reference/reference.h"

/* Returns -ENOENT if the reference does not know the handler. */
int engine_reference_open(const struct engine_handler *handler, const struct engine_context *context, enum reference_rule breaks,
			  struct engine **out);
struct reference *engine_reference(struct engine *e);

#endif
