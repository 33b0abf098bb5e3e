/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs the vectors on every engine: run [--engine NAME] [--list] [--flip] [--reasons] [FILE...]
 *
 *   --flip     one expected byte of each vector is changed: every engine must object
 *   --reasons  every reason of <spin/reason.h> has a vector
 */
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include <engine/vector.h>
#include <user/libspin/libspin.h>

#define OPEN_MAX 256

/* Opened once per handler and rule. */
struct opened {
	char handler[32];
	struct spin_rule rule;
	enum engine_kind kind;
	struct types types;
	struct image initial;
	struct engine *engine;
};

struct runner {
	struct opened opened[OPEN_MAX];
	unsigned count;
	int wanted[ENGINE_KINDS];
	const char *skipped[ENGINE_KINDS];
	unsigned passed, failed;
};

static void usage(FILE *to)
{
	fputs("usage: run [--engine host|bpf|model] [--list] [--flip] [--reasons] [FILE...]\n", to);
}

static int open_for(struct runner *r, const struct vector *v, enum engine_kind kind, struct opened **out)
{
	struct opened *o;
	int err;

	for (unsigned i = 0; i < r->count; i++) {
		o = &r->opened[i];
		*out = o;
		if (o->kind == kind && !strcmp(o->handler, v->handler) &&
		    !memcmp(&o->rule, &v->rule, sizeof(v->rule)))
			return 0;
	}
	if (r->count == OPEN_MAX)
		return engine_fail(-E2BIG, "more than %d handlers and rules", OPEN_MAX);
	o = &r->opened[r->count];
	snprintf(o->handler, sizeof(o->handler), "%s", v->handler);
	o->rule = v->rule;
	o->kind = kind;
	err = engine_open(kind, v->handler, &v->rule, &o->engine);
	if (err)
		return err;
	err = types_open(v->handler, &o->types);
	if (!err)
		err = image_alloc(&o->types, &o->initial);
	if (!err)
		err = image_read(&o->types, &o->initial, o->engine);
	if (err) {
		engine_close(o->engine);
		return err;
	}
	r->count++;
	*out = o;
	return 0;
}

static void close_all(struct runner *r)
{
	for (unsigned i = 0; i < r->count; i++) {
		engine_close(r->opened[i].engine);
		image_free(&r->opened[i].initial);
		types_close(&r->opened[i].types);
	}
}

static int check_as_written(struct runner *r, const struct vector *v, struct opened *o)
{
	char *report = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&report, &bytes);
	int rc;

	if (!to)
		return engine_fail(-ENOMEM, "no memory");
	rc = vector_check(v, &o->types, o->engine, &o->initial, FLIP_NONE, to);
	fclose(to);
	if (rc == 1)
		printf("FAIL  %-6s %s\n%s", engine_name(o->kind), v->path, report);
	free(report);
	r->passed += !rc;
	return rc;
}

static int check_flipped(struct runner *r, const struct vector *v, struct opened *o)
{
	static const char *const names[] = { "", "verdict", "frame", "state" };
	int bad = 0, rc;

	for (enum vector_flip flip = FLIP_VERDICT; flip < FLIP_KINDS; flip++) {
		if (!vector_can_flip(v, flip))
			continue;
		rc = vector_check(v, &o->types, o->engine, &o->initial, flip, NULL);
		if (rc < 0)
			return rc;
		r->passed += rc;
		if (rc)
			continue;
		printf("FAIL  %-6s %s\n    a changed %s goes unnoticed\n", engine_name(o->kind), v->path,
		       names[flip]);
		bad = 1;
	}
	return bad;
}

static void run_vector(struct runner *r, const struct vector *v, int flip)
{
	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		struct opened *o;
		int rc;

		if (!r->wanted[kind] || r->skipped[kind])
			continue;
		rc = open_for(r, v, (enum engine_kind)kind, &o);
		if (rc == -EPERM) {
			r->skipped[kind] = strdup(engine_why());
			continue;
		}
		if (!rc)
			rc = flip ? check_flipped(r, v, o) : check_as_written(r, v, o);
		if (rc < 0)
			printf("FAIL  %-6s %s\n    %s\n", engine_name((enum engine_kind)kind), v->path,
			       engine_why());
		r->failed += rc != 0;
	}
}

static unsigned check_reasons(const unsigned *seen)
{
	unsigned missing = 0;

	for (int i = 0; i < SPIN_REASON_COUNT; i++) {
		if (seen[i])
			continue;
		printf("FAIL  no vector expects %s\n", spin_reason_name((enum spin_reason)i));
		missing++;
	}
	return missing;
}

static int pick_engine(struct runner *r, const char *name)
{
	for (int kind = 0; kind < ENGINE_KINDS; kind++)
		if (!strcmp(name, engine_name((enum engine_kind)kind)))
			return r->wanted[kind] = 1;
	return 0;
}

int main(int argc, char **argv)
{
	static struct runner r;
	unsigned seen[SPIN_REASON_COUNT] = { 0 };
	int list = 0, flip = 0, reasons = 0, picked = 0, first = argc, skipped = 0;
	glob_t found = { 0 };

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--list")) {
			list = 1;
		} else if (!strcmp(argv[i], "--flip")) {
			flip = 1;
		} else if (!strcmp(argv[i], "--reasons")) {
			reasons = 1;
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
		r.wanted[kind] = 1;
	if (first == argc)
		glob("tests/vectors/*/*.vec", 0, NULL, &found);
	for (int i = first; i < argc; i++)
		glob(argv[i], GLOB_NOCHECK | (i > first ? GLOB_APPEND : 0), NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct vector *v;

		if (vector_read(found.gl_pathv[i], &v)) {
			printf("FAIL  %s\n", engine_why());
			r.failed++;
			continue;
		}
		for (unsigned s = 0; s < v->count; s++)
			seen[v->step[s].reason]++;
		if (list)
			printf("%s\n", v->path);
		else if (!reasons)
			run_vector(&r, v, flip);
		vector_free(v);
	}
	if (reasons)
		r.failed += check_reasons(seen);
	if (!found.gl_pathc) {
		printf("FAIL  no vectors found: run from the top of the repository\n");
		r.failed++;
	}
	globfree(&found);
	close_all(&r);
	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		if (!r.skipped[kind])
			continue;
		printf("skip: %s: %s\n", engine_name((enum engine_kind)kind), r.skipped[kind]);
		skipped = 1;
	}
	if (!list && !reasons)
		printf("%u checks passed, %u vectors failed\n", r.passed, r.failed);
	return r.failed ? 1 : skipped ? 77 : 0;
}
