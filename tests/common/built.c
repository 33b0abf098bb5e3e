/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds the handler objects that make has built, by name. Used by tests and benchmarks. $BUILD, or build/, is where it looks; it never
 * builds.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "tests/common/proc.h"

const char *built_dir(void)
{
	const char *dir = getenv("BUILD");

	return dir && *dir ? dir : "build";
}

int built_object(const char *handler, char *path, size_t bytes)
{
	snprintf(path, bytes, "%s/handlers/%s.spin", built_dir(), handler);
	if (!access(path, R_OK))
		return 0;
	snprintf(path, bytes, "%s/tests/handlers/%s.spin", built_dir(), handler);
	if (!access(path, R_OK))
		return 0;
	snprintf(path, bytes, "%s/tests/loops/%s.spin", built_dir(), handler);
	if (!access(path, R_OK))
		return 0;
	return engine_fail(-ENOENT, "no fat object of handler '%s' in %s: run make", handler, built_dir());
}

struct spin_object *built_open(const char *handler)
{
	struct spin_object *object;
	char path[512];

	if (built_object(handler, path, sizeof(path)))
		die("%s", engine_error());
	if (spin_object__open(path, &object))
		die("%s: %s", handler, spin_strerror_last());
	return object;
}

int built_handler(const char *handler, struct built *out)
{
	snprintf(out->name, sizeof(out->name), "%s", handler);
	snprintf(out->host, sizeof(out->host), "%s/tests/host/%s.so", built_dir(), handler);
	out->handler = (struct engine_handler){ .name = out->name, .object = out->object, .host = out->host };
	return built_object(handler, out->object, sizeof(out->object));
}
