/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_PSPIN_H
#define USER_COST_PSPIN_H

/*
 * spinctl cost of objects that `spincc --api pspin` made: handlers written for PsPIN's own runtime, which only the model runs. Called by
 * measure.c and contexts.c.
 */
#include <limits.h>

#include "user/cost/options.h"
#include "user/cost/run.h"

/*
 * If the file is an object of `spincc --api pspin`, sets *file to its bytes and fills in *program. The caller frees *file after the last
 * use of *program. *file is NULL for other files and for files that cannot be read. Returns DONE, or FAILED after a message.
 */
int cost_pspin__find(const struct cost_options *options, const char *path, struct cost_program *program, void **file);

/* A source file for PsPIN's runtime, compiled into a temporary directory. */
struct cost_pspin_source {
	char directory[PATH_MAX], object[PATH_MAX];
	int in_use;
};
/* Returns DONE, or FAILED after a message. Call cost_pspin__remove() in both cases. */
int cost_pspin__compile(const char *path, const struct option_list *words, struct cost_pspin_source *out);
void cost_pspin__remove(const struct cost_pspin_source *source);

#endif
