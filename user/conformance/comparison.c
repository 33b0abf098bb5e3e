/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs one vector (a test as text: packets in, expected results out) on every engine that can run it: host build, kernel, model of the NIC,
 * program for a card. Reports which engines differ from the vector and from each other. Called by spinctl test and tests/vectors/run.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/features.h"
#include "kernel/probe.h"
#include "user/conformance/comparison.h"

#define LINEAR_FRAME_BYTES 3500u /* frames up to this length are always in one buffer (NI_LINEAR_BYTES_MAX of libspin) */

void comparison_engines_free(struct comparison_engines *engines)
{
	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		free(engines->cannot[kind]);
		free(engines->cannot_messages[kind]);
		free(engines->cannot_some[kind]);
	}
}

void comparison_cannot(struct comparison_engines *engines, enum engine_kind kind, int err)
{
	char **reason = err == -EPERM        ? &engines->cannot[kind]
			: err == -EOPNOTSUPP ? &engines->cannot_messages[kind]
					     : &engines->cannot_some[kind];

	engines->left_out[kind] += reason == &engines->cannot_some[kind];
	if (!*reason)
		*reason = strdup(engine_error());
}

/* Returns 0 if the vector has a longer frame than the engine takes. Some kernels cannot load programs for frames in several buffers. */
static int takes_frames(enum engine_kind kind, const struct vector *v)
{
	if (kind != ENGINE_NFP && ((kind != ENGINE_BPF && kind != ENGINE_ISOLATED) || kernel_probe__copies()))
		return 1;
	for (unsigned i = 0; i < v->count; i++)
		if (v->step[i].in_bytes > LINEAR_FRAME_BYTES)
			return 0;
	return 1;
}

/* Counts a vector that the engine skips, and keeps the first reason. */
static void skip_engine(struct comparison_engines *engines, enum engine_kind kind)
{
	char *reason = NULL;

	engines->left_out[kind]++;
	if (kind == ENGINE_NFP && !engines->cannot_some[kind]) {
		engines->cannot_some[kind] = strdup("a card's program takes frames in one buffer");
		return;
	}
	if (!engines->cannot_some[kind] &&
	    asprintf(&reason, "%s need Linux %s or newer", kernel_feature__name(KERNEL_JUMBO), kernel_feature__version(KERNEL_JUMBO)) > 0)
		engines->cannot_some[kind] = reason;
}

/* Runs the vector on one engine. An engine that this machine cannot run is skipped, unless it was named. */
static void run_engine(struct comparison *t, enum engine_kind kind, struct engine_cache *cache, const struct engine_handler *handler,
		       struct comparison_engines *engines)
{
	struct vector_result *result = &t->result[kind];
	struct engine_cache_entry *entry;
	int err;

	if (!takes_frames(kind, t->vector) && !engines->must) {
		skip_engine(engines, kind);
		return;
	}
	err = engine_cache_get(cache, kind, handler, &t->vector->context, &entry);
	if (engine_cannot(err) && !engines->must) {
		comparison_cannot(engines, kind, err);
		return;
	}
	t->ran[kind] = 1;
	if (!err) {
		vector_run(t->vector, &entry->types, entry->engine, &entry->initial, MUTATE_NONE, result);
		return;
	}
	result->rc = err;
	snprintf(result->reason, sizeof(result->reason), "%s", engine_error());
}

void comparison_run(struct comparison *t, const struct vector *v, struct engine_cache *cache, const struct engine_handler *handler,
		    struct comparison_engines *engines)
{
	int first = -1;

	*t = (struct comparison){ .vector = v };
	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		if (!engines->wanted[kind] || engines->cannot[kind] || (kind == ENGINE_ISOLATED && v->trusted))
			continue;
		run_engine(t, (enum engine_kind)kind, cache, handler, engines);
		if (!t->ran[kind])
			continue;
		t->failed |= t->result[kind].rc != 0;
		first = first < 0 ? kind : first;
		t->disagree |= !comparison_same(t, (enum engine_kind)first, (enum engine_kind)kind);
	}
}

int comparison_same(const struct comparison *t, enum engine_kind a, enum engine_kind b)
{
	const struct vector_result *x = &t->result[a], *y = &t->result[b];

	if (x->rc != y->rc)
		return 0;
	if (x->rc < 0)
		return !strcmp(x->reason, y->reason);
	return !x->rc || (x->step == y->step && differences_same(&x->differences, &y->differences));
}

void comparison_agreeing(const struct comparison *t, enum engine_kind kind, char *text, size_t bytes)
{
	size_t at = 0;

	text[0] = '\0';
	for (int other = 0; other < ENGINE_KINDS; other++) {
		if (!t->ran[other] || !comparison_same(t, kind, (enum engine_kind)other))
			continue;
		at += (size_t)snprintf(text + at, bytes - at, "%s%s", at ? " " : "", engine_name((enum engine_kind)other));
		if (at >= bytes)
			return;
	}
}

unsigned comparison_line(const struct comparison *t, enum engine_kind kind)
{
	return t->vector->step[t->result[kind].step].line;
}

static void print_result(const struct comparison *t, enum engine_kind kind, FILE *to)
{
	const struct vector_result *result = &t->result[kind];
	char names[128], step[32];

	comparison_agreeing(t, kind, names, sizeof(names));
	if (!result->rc) {
		fprintf(to, "      %s: as expected\n", names);
	} else if (result->rc < 0) {
		fprintf(to, "      %s: could not run: %s\n", names, result->reason);
	} else {
		vector_step_name(&t->vector->step[result->step], step, sizeof(step));
		fprintf(to, "      %s: %s:%u: %s\n", names, t->vector->path, comparison_line(t, kind), step);
		differences_print(&result->differences, "        ", "expected", to);
	}
}

static int is_first_with_result(const struct comparison *t, int kind)
{
	for (int other = 0; other < kind; other++)
		if (t->ran[other] && comparison_same(t, (enum engine_kind)other, (enum engine_kind)kind))
			return 0;
	return 1;
}

void comparison_print(const struct comparison *t, FILE *to)
{
	char names[128] = "";
	unsigned ran = 0;

	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		if (!t->ran[kind])
			continue;
		ran++;
		if (!t->failed)
			comparison_agreeing(t, (enum engine_kind)kind, names, sizeof(names));
	}
	fprintf(to, "%-4s  %s%s%s\n", t->failed ? "FAIL" : "ok", t->vector->path, *names ? "  " : "", names);
	for (int kind = 0; kind < ENGINE_KINDS && t->failed; kind++)
		if (t->ran[kind] && is_first_with_result(t, kind))
			print_result(t, (enum engine_kind)kind, to);
	if (t->disagree)
		fprintf(to, "      The engines disagree with each other: that is no fault of the vector.\n");
	else if (t->failed && ran > 1)
		fprintf(to, "      The engines agree with each other: the handler or the vector is wrong.\n");
}

void comparison_free(struct comparison *t)
{
	for (int kind = 0; kind < ENGINE_KINDS; kind++)
		vector_result_free(&t->result[kind]);
}
