/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_PSPIN_H
#define USER_COST_PSPIN_H

#include <limits.h>

#include "user/cost/options.h"
#include "user/cost/run.h"

/*
 * If the file is an object of `spincc --api pspin`: *file has its bytes, which the caller frees after the last use of *program, and
 * *program what the model is to run. If it is none, or cannot be read, *file is NULL. DONE, or FAILED after a message.
 */
int cost_pspin__find(const struct cost_options *options, const char *path, struct cost_program *program, void **file);

/* A source for PsPIN's runtime, compiled into a directory of its own. */
struct cost_pspin_source {
	char directory[PATH_MAX], object[PATH_MAX];
	int in_use;
};
/* DONE, or FAILED after a message; cost_pspin__remove() in either case. */
int cost_pspin__compile(const char *path, const struct option_list *words, struct cost_pspin_source *out);
void cost_pspin__remove(const struct cost_pspin_source *source);

#endif
