/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_BUILT_H
#define TESTS_COMMON_BUILT_H

/*
 * Finds build results by name, for tests and benchmarks: the handlers of handlers/, tests/handlers/ and tests/loops/. It only looks, and
 * never builds.
 */
#include "user/conformance/engine.h"

struct built {
	struct engine_handler handler;
	char name[32], object[512], host[512];
};

/* Returns $BUILD, or "build". */
const char *built_dir(void);
/* Finds the fat object. Returns 0, or -ENOENT with engine_error(). */
int built_object(const char *handler, char *path, size_t bytes);
/* Opens the fat object. Ends the program with a message if that fails. */
struct spin_object *built_open(const char *handler);
/* Finds all build results of a handler; `handler` points into the struct. Returns 0, or -ENOENT with engine_error(). */
int built_handler(const char *handler, struct built *out);

#endif
