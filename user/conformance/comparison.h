/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_COMPARISON_H
#define USER_CONFORMANCE_COMPARISON_H

/* One vector on several engines: each engine's result, and whether the engines agree. For spinctl test and tests/vectors/run.c. */
#include "user/conformance/engine_cache.h"
#include "user/conformance/vector/vector.h"

/* Engines that were asked for, and why some of them cannot run. */
struct comparison_engines {
	int wanted[ENGINE_KINDS];
	int must;                            /* named by the user: an engine that cannot run is a failure */
	char *cannot[ENGINE_KINDS];          /* why the engine cannot run; NULL: it can, as far as is known */
	char *cannot_messages[ENGINE_KINDS]; /* why it takes no messages; NULL: it does */
	char *cannot_some[ENGINE_KINDS];     /* the first handler that it cannot run, and why; NULL: none */
	unsigned left_out[ENGINE_KINDS];     /* how many vectors of such handlers were left out */
};
/*
 * Notes engine_error() for the error of engine_cannot() for a vector's handler: -EPERM stops the engine,
 * -EOPNOTSUPP is a class that takes no messages, others (a kernel too old for it, no image) are the handler's alone.
 */
void comparison_cannot(struct comparison_engines *engines, enum engine_kind kind, int err);
void comparison_engines_free(struct comparison_engines *engines);

struct comparison {
	const struct vector *vector;
	int ran[ENGINE_KINDS];
	struct vector_result result[ENGINE_KINDS];
	int failed;   /* on any engine */
	int disagree; /* the same packet had different results on different engines */
};

/* The comparison keeps what it found; engines that cannot run are left out and noted in `engines`. */
void comparison_run(struct comparison *t, const struct vector *v, struct engine_cache *cache, const struct engine_handler *handler,
		    struct comparison_engines *engines);
/* 1 if two engines that ran had the same result, right or wrong. */
int comparison_same(const struct comparison *t, enum engine_kind a, enum engine_kind b);
/* "host bpf model": engines whose result is the same as that of `kind`. */
void comparison_agreeing(const struct comparison *t, enum engine_kind kind, char *text, size_t bytes);
/* The line of the step where an engine's result differs from the vector. */
unsigned comparison_line(const struct comparison *t, enum engine_kind kind);
/* "ok" or "FAIL", the vector, its engines; the differences. */
void comparison_print(const struct comparison *t, FILE *to);
void comparison_free(struct comparison *t);

#endif
