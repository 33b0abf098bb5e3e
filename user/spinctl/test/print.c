/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Prints the results of spinctl test as text and as JSON: for each vector (a test as text: packets in, expected results out) what differs.
 * Called by test.c. JSON is written as results arrive and is one document at the end.
 */
#include "user/spinctl/test/test.h"

void test_print__start(struct test_printer *p)
{
	if (!p->json)
		return;
	json_begin(&p->j, stdout, 1);
	json_object(&p->j, NULL);
	json_string(&p->j, "handler", p->handler->name);
	json_array(&p->j, "vectors");
}

static void step_json(struct json *j, const struct vector_step *step)
{
	if (step->kind == STEP_CLOCK && step->now_ns % 1000000)
		json_uint(j, "clock_ns", step->now_ns);
	else if (step->kind == STEP_CLOCK)
		json_uint(j, "clock_ms", step->now_ns / 1000000);
	else
		json_uint(j, "packet", step->number);
}

static void result_json(struct json *j, const struct comparison *t, enum engine_kind kind)
{
	const struct vector_result *result = &t->result[kind];

	json_object(j, NULL);
	json_string(j, "engine", engine_name(kind));
	json_string(j, "result", result->rc < 0 ? "not_run" : result->rc ? "different" : "as_expected");
	if (result->rc < 0)
		json_string(j, "why", result->reason);
	if (result->rc > 0) {
		step_json(j, &t->vector->step[result->step]);
		json_uint(j, "line", comparison_line(t, kind));
		json_array(j, "differences");
		for (unsigned i = 0; i < result->differences.count; i++) {
			const struct difference *one = &result->differences.list[i];

			json_object(j, NULL);
			json_string(j, "what", one->what);
			json_string(j, "got", one->got);
			json_string(j, "expected", one->expected);
			json_object_end(j);
		}
		json_array_end(j);
		json_uint(j, "differences_left_out", result->differences.left_out);
	}
	json_object_end(j);
}

static void comparison_json(struct json *j, const struct comparison *t)
{
	json_object(j, NULL);
	json_string(j, "vector", t->vector->path);
	json_bool(j, "passed", !t->failed);
	json_bool(j, "engines_agree", !t->disagree);
	json_array(j, "engines");
	for (int kind = 0; kind < ENGINE_KINDS; kind++)
		if (t->ran[kind])
			result_json(j, t, (enum engine_kind)kind);
	json_array_end(j);
	json_object_end(j);
}

void test_print__comparison(struct test_printer *p, const struct comparison *t)
{
	p->passed += !t->failed;
	p->failed += t->failed;
	for (int kind = 0; kind < ENGINE_KINDS; kind++)
		p->ran[kind] |= t->ran[kind];
	if (p->json)
		comparison_json(&p->j, t);
	else
		comparison_print(t, stdout);
}

void test_print__unread(struct test_printer *p, const char *path, const char *reason)
{
	p->failed++;
	if (p->json) {
		json_object(&p->j, NULL);
		json_string(&p->j, "vector", path);
		json_bool(&p->j, "passed", 0);
		json_string(&p->j, "why", reason);
		json_object_end(&p->j);
		return;
	}
	printf("FAIL  %s\n      %s\n", path, reason);
}

static void end_text(const struct test_printer *p)
{
	int any = 0;

	printf("\n%s: %u of %u vectors as expected", p->handler->name, p->passed, p->passed + p->failed);
	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		if (!p->ran[kind])
			continue;
		printf("%s %s", any ? "" : " on", engine_name((enum engine_kind)kind));
		any = 1;
	}
	puts(any ? "" : "; no engine has run one");
}

static void skipped_json(struct json *j, int kind, const char *reason)
{
	if (!reason)
		return;
	json_object(j, NULL);
	json_string(j, "engine", engine_name((enum engine_kind)kind));
	json_string(j, "why", reason);
	json_object_end(j);
}

void test_print__end(struct test_printer *p)
{
	if (!p->json) {
		end_text(p);
		return;
	}
	json_array_end(&p->j);
	json_array(&p->j, "skipped");
	for (int kind = 0; kind < ENGINE_KINDS; kind++) {
		skipped_json(&p->j, kind, p->engines->cannot[kind]);
		skipped_json(&p->j, kind, p->engines->cannot_messages[kind]);
		skipped_json(&p->j, kind, p->engines->cannot_some[kind]);
	}
	json_array_end(&p->j);
	json_uint(&p->j, "passed", p->passed);
	json_uint(&p->j, "failed", p->failed);
	json_object_end(&p->j);
	json_end(&p->j);
}
