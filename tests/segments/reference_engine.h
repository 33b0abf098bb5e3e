/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_SEGMENTS_REFERENCE_ENGINE_H
#define TESTS_SEGMENTS_REFERENCE_ENGINE_H

/*
 * The reference of TCP segments (reference.h) with the interface of an engine (an execution of handlers), for the handlers of
 * tests/handlers/segments/seg_random.h. Used by tests/segments. It takes frames as segframe_build() makes them; every TCP segment matches.
 */
#include "user/conformance/engine.h"

#include "tests/segments/reference.h"

/* Returns -ENOENT if the reference does not know the handler. */
int segref_engine_open(const char *handler, enum segref_rule breaks, struct engine **out);
struct segref *segref_engine_reference(struct engine *e);

/* Opens a real engine with a test handler of TCP segments, for all ports. Errors are those of engine_open(). */
int segment_engine_open(enum engine_kind kind, const char *handler, struct engine **out);

#endif
