/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_COMPARISON_H
#define USER_CONFORMANCE_COMPARISON_H

/*
 * Runs one vector (a test as text: packets in, expected results out) on several engines (ways to execute a handler, engine.h), and compares
 * their results. Used by spinctl test and tests/vectors/run.c.
 */
#include "user/conformance/engine_cache.h"
#include "user/conformance/vector/vector.h"

/* The requested engines, and why some of them cannot run. */
struct comparison_engines {
	int wanted[ENGINE_KINDS];
	int must;                            /* 1: named by the user, so an engine that cannot run is a failure */
	char *cannot[ENGINE_KINDS];          /* why the engine cannot run; NULL: it can, as far as known */
	char *cannot_messages[ENGINE_KINDS]; /* why it takes no messages; NULL: it does, as far as known */
	char *cannot_some[ENGINE_KINDS];     /* why it cannot run the first handler that it skipped; NULL: none skipped */
	unsigned left_out[ENGINE_KINDS];     /* number of vectors of such handlers that were skipped */
};
/*
 * Records engine_error() for an error for which engine_cannot() is true. -EPERM: the engine cannot run at all. -EOPNOTSUPP: it takes
 * no messages. Other errors (kernel too old, no image) concern only this handler.
 */
void comparison_cannot(struct comparison_engines *engines, enum engine_kind kind, int err);
void comparison_engines_free(struct comparison_engines *engines);

/* A vector's results on all engines. */
struct comparison {
	const struct vector *vector;
	int ran[ENGINE_KINDS];
	struct vector_result result[ENGINE_KINDS];
	int failed;   /* on any engine */
	int disagree; /* the same packet had different results on different engines */
};

/* Runs the vector and stores the results in *t. Engines that cannot run are skipped and recorded in `engines`. */
void comparison_run(struct comparison *t, const struct vector *v, struct engine_cache *cache, const struct engine_handler *handler,
		    struct comparison_engines *engines);
/* Returns 1 if two engines that ran had the same result, right or wrong. */
int comparison_same(const struct comparison *t, enum engine_kind a, enum engine_kind b);
/* Writes the names of the engines that have the same result as `kind`: "host bpf model", itself included. */
void comparison_agreeing(const struct comparison *t, enum engine_kind kind, char *text, size_t bytes);
/* Returns the line of the step at which an engine's result differs from the vector. */
unsigned comparison_line(const struct comparison *t, enum engine_kind kind);
/* Prints "ok" or "FAIL", the vector and its engines, then the differences. */
void comparison_print(const struct comparison *t, FILE *to);
void comparison_free(struct comparison *t);

#endif
