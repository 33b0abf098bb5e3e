/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs the vectors (tests as text: packets in, what is expected of every engine) on every engine, an execution of the handler. Run by
 * tests/run. Usage: run [--engine NAME] [--list] [--swapped] [--mutate] [--reasons] [--partial MOST] [--every-program] [FILE...]. Programs
 * are loaded into the kernel with BPF_F_TEST_REG_INVARIANTS (tests/common/loads/reg_invariants.h).
 *
 *  --swapped  loads trusted handlers without a dispatcher, and isolated ones behind one
 *  --partial  an engine may leave out at most MOST vectors whose handlers it cannot load; more are a failure. Without it, a vector that
 *             is left out makes the exit status 77
 *  --mutate   runs each vector also with a changed expectation of its last step (verdict, frame, state, event, ...): each change must
 *             make the comparison fail
 *  --reasons  runs nothing: each reason of <spin/reason.h> must be expected by a vector
 *  --every-program  then loads all programs that no vector has loaded: the kernel must not find contradicting bounds of a register
 */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/built.h"
#include "tests/common/loads/reg_invariants.h"
#include "user/lib/descriptors.h"
#include "user/conformance/comparison.h"
#include <spin/libspin.h>

struct runner {
	struct engine_cache cache;
	struct comparison_engines engines;
	unsigned passed, failed;
};

static void usage(FILE *to)
{
	fputs("usage: run [--engine host|bpf|isolated|model|nfp] [--list] [--swapped] [--mutate] [--reasons] [--partial MOST]\n"
	      "           [--every-program] [FILE...]\n",
	      to);
}

static void check_as_written(struct runner *r, const struct vector *v, const struct engine_handler *handler)
{
	struct comparison t;

	comparison_run(&t, v, &r->cache, handler, &r->engines);
	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		r->passed += t.ran[kind] && !t.result[kind].rc;
		r->failed += t.ran[kind] && t.result[kind].rc;
	}
	if (t.failed)
		comparison_print(&t, stdout);
	comparison_free(&t);
}

static int mutation_goes_unnoticed(const struct vector *v, struct engine_cache_entry *entry, enum vector_mutation mutation)
{
	struct vector_result result;

	vector_run(v, &entry->types, entry->engine, &entry->initial, mutation, &result);
	if (result.rc < 0)
		printf("    %s\n", result.reason);
	vector_result_free(&result);
	return result.rc != 1;
}

static void check_flipped(struct runner *r, const struct vector *v, const struct engine_handler *handler)
{
	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		struct engine_cache_entry *entry;
		int err;

		if (!r->engines.wanted[kind] || r->engines.cannot[kind] || (kind == ENGINE_ISOLATED && v->trusted))
			continue;
		err = engine_cache_get(&r->cache, (enum engine_kind)kind, handler, &v->context, &entry);
		if (engine_cannot(err)) {
			comparison_cannot(&r->engines, (enum engine_kind)kind, err);
			continue;
		}
		if (err) {
			printf("FAIL  %s  %s: %s\n", v->path, engine_name((enum engine_kind)kind), engine_error());
			r->failed++;
		}
		for (enum vector_mutation mutation = MUTATE_VERDICT; mutation < MUTATIONS && !err; mutation++) {
			if (!vector_can_mutate(v, &entry->types, mutation))
				continue;
			if (!mutation_goes_unnoticed(v, entry, mutation)) {
				r->passed++;
				continue;
			}
			printf("FAIL  %s  %s: a changed %s goes unnoticed\n", v->path, engine_name((enum engine_kind)kind),
			       vector_mutation_name(mutation));
			r->failed++;
		}
	}
}

static void run_vector(struct runner *r, const struct vector *v, int mutation)
{
	struct built built;

	if (built_handler(v->handler, &built)) {
		printf("FAIL  %s: %s\n", v->path, engine_error());
		r->failed++;
		return;
	}
	check_as_written(r, v, &built.handler);
	if (mutation)
		check_flipped(r, v, &built.handler);
}

/* Returns the number of reasons that no vector expects. SPIN_REASON_NO_HPU is exempt: it occurs only with several HPUs, in tests/live. */
static unsigned check_reasons(const unsigned *seen)
{
	unsigned missing = 0;

	for (int i = 0; i < SPIN_REASON_COUNT; i++) {
		if (seen[i] || i == SPIN_REASON_NO_HPU)
			continue;
		printf("FAIL  no vector expects %s\n", spin_reason_name((enum spin_reason)i));
		missing++;
	}
	return missing;
}

/* Returns 1 if it was skipped. */
static int check_every_program(struct runner *r)
{
	const char *reason;

	if (!reg_invariants__are_tested(&reason)) {
		printf("skip: every program: %s\n", reason);
		return 1;
	}
	r->failed += (unsigned)reg_invariants__try_every_program();
	return 0;
}

static int pick_engine(struct runner *r, const char *name)
{
	enum engine_kind kind = engine_find(name);

	return kind < ENGINE_KINDS ? r->engines.wanted[kind] = 1 : 0;
}

/* Returns the number of engines that left out more than `most` vectors, because handlers did not load. */
static unsigned check_left_out(const struct comparison_engines *engines, unsigned most)
{
	unsigned failed = 0;

	for (int kind = 0; kind < ENGINE_KINDS; kind++)
		if (engines->left_out[kind] > most) {
			printf("FAIL  %s leaves out %u vectors, but may leave out %u: %s\n", engine_name((enum engine_kind)kind),
			       engines->left_out[kind], most, engines->cannot_some[kind]);
			failed++;
		}
	return failed;
}

/*
 * Returns 1 if an engine has skipped vectors that it should run. The isolated class need not run those of messages, which it does not
 * support.
 */
static int say_skipped(const struct comparison_engines *engines, int partial)
{
	int skipped = 0;

	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		const char *cannot = engines->cannot[kind], *messages = engines->cannot_messages[kind];

		if (cannot)
			printf("skip: %s: %s\n", engine_name((enum engine_kind)kind), cannot);
		if (messages)
			printf("%s%s: %s\n", kind == ENGINE_ISOLATED ? "" : "skip: ", engine_name((enum engine_kind)kind), messages);
		if (engines->left_out[kind])
			printf("%s%s: %u vectors: %s\n", partial || kind == ENGINE_NFP ? "" : "skip: ", engine_name((enum engine_kind)kind),
			       engines->left_out[kind], engines->cannot_some[kind]);
		/* for the NFP most handlers have no program, so left out vectors do not count */
		skipped |= cannot || (engines->left_out[kind] && !partial && kind != ENGINE_NFP) || (messages && kind != ENGINE_ISOLATED);
	}
	return skipped;
}

int main(int argc, char **argv)
{
	static struct runner r;
	unsigned seen[SPIN_REASON_COUNT] = { 0 }, most = 0;
	int list = 0, mutation = 0, reasons = 0, partial = 0, every = 0, picked = 0, first = argc, skipped;
	glob_t found = { 0 };

	descriptors_raise_limit();
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--list")) {
			list = 1;
		} else if (!strcmp(argv[i], "--swapped")) {
			engine_swap_loading();
		} else if (!strcmp(argv[i], "--mutate")) {
			mutation = 1;
		} else if (!strcmp(argv[i], "--reasons")) {
			reasons = 1;
		} else if (!strcmp(argv[i], "--partial") && i + 1 < argc) {
			partial = 1;
			most = (unsigned)strtoul(argv[++i], NULL, 10);
		} else if (!strcmp(argv[i], "--every-program")) {
			every = 1;
		} else if (!strcmp(argv[i], "--help")) {
			usage(stdout);
			return 0;
		} else if (!strcmp(argv[i], "--engine") && i + 1 < argc && pick_engine(&r, argv[i + 1])) {
			picked = 1;
			i++;
		} else if (argv[i][0] == '-') {
			usage(stderr);
			return 2;
		} else {
			first = i;
			break;
		}
	}
	for (int kind = 0; kind < ENGINE_KINDS && !picked; kind++)
		r.engines.wanted[kind] = 1;
	if (first == argc)
		glob("tests/vectors/*/*.vec", 0, NULL, &found);
	for (int i = first; i < argc; i++)
		glob(argv[i], GLOB_NOCHECK | (i > first ? GLOB_APPEND : 0), NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct vector *v;

		if (vector_read(found.gl_pathv[i], &v)) {
			printf("FAIL  %s\n", engine_error());
			r.failed++;
			continue;
		}
		for (unsigned s = 0; s < v->count; s++)
			if (v->step[s].kind == STEP_PACKET)
				seen[v->step[s].reason]++;
		if (list)
			printf("%s\n", v->path);
		else if (!reasons)
			run_vector(&r, v, mutation);
		vector_free(v);
	}
	if (reasons)
		r.failed += check_reasons(seen);
	if (!found.gl_pathc) {
		printf("FAIL  no vectors found: run from the top of the repository\n");
		r.failed++;
	}
	globfree(&found);
	engine_cache_close(&r.cache);
	skipped = say_skipped(&r.engines, partial);
	if (partial)
		r.failed += check_left_out(&r.engines, most);
	comparison_engines_free(&r.engines);
	if (every)
		skipped |= check_every_program(&r);
	if (!list && !reasons)
		printf("%u checks passed, %u failed\n", r.passed, r.failed);
	return r.failed ? 1 : skipped ? 77 : 0;
}
