/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdlib.h>
#include <string.h>

#include "user/spinctl/engines.h"
#include "user/spinctl/stop.h"
#include "user/spinctl/test.h"

static struct test_options {
	struct option_list engines, compile;
	int json, trust;
} options;

#define FIELD(name) offsetof(struct test_options, name)

/* clang-format off */
static const struct option_row rows[] = {
	ENGINE_OPTION(struct test_options, engines),
	{ NULL, 'I', OPTION_WORD, "DIR", FIELD(compile), "a folder for #include, when HANDLER is a source" },
	{ NULL, 'D', OPTION_WORD, "NAME[=VALUE]", FIELD(compile), "a macro, when HANDLER is a source" },
	TRUST_OPTION(struct test_options, trust),
	{ "json", 0, OPTION_FLAG, NULL, FIELD(json), "one JSON document" },
	{ 0 },
};
/* clang-format on */

static void test_vector(struct test_printer *p, const char *path, struct pool *pool, struct trial_engines *engines)
{
	const struct handler *h = p->handler;
	char why[256];
	struct vector *v;
	struct trial t;

	if (vector_read(path, &v)) {
		test_print__unread(p, path, engine_why());
		return;
	}
	if (strcmp(v->handler, h->name)) {
		snprintf(why, sizeof(why), "it is for handler %s, this is %s", v->handler, h->name);
		test_print__unread(p, path, why);
	} else {
		trial_run(&t, v, pool, &h->files, engines);
		test_print__trial(p, &t);
		trial_free(&t);
	}
	vector_free(v);
}

static int test_all(const struct handler *h, const struct test_files *files, struct trial_engines *engines)
{
	struct test_printer p = { .json = options.json, .handler = h, .engines = engines };
	struct pool pool = { 0 };

	test_print__start(&p);
	for (unsigned i = 0; i < files->count && !stop__signal(); i++)
		test_vector(&p, files->path[i], &pool, engines);
	if (!stop__signal())
		test_print__end(&p);
	engines__say_skipped(engines);
	pool_close(&pool);
	return p.failed || stop__signal() ? FAILED : DONE;
}

static int test(const char **operands, unsigned count, struct trial_engines *engines)
{
	struct handler_wants wants = { .host = engines->wanted[ENGINE_HOST],
				       .verify = engines__want_kernel(engines),
				       .trust = options.trust,
				       .compile = &options.compile };
	struct test_files files = { 0 };
	struct handler h;
	int status = handler__open(&h, operands[0], &wants);

	if (!status)
		status = engines__without_host(engines, &h);
	if (!status)
		status = engines__without_trust(engines, &h, options.trust);
	for (unsigned i = 1; i < count && !status; i++)
		status = test_files__add(&files, operands[i]);
	if (!status && count == 1)
		status = test_files__find(&files, &h);
	if (!status)
		status = test_all(&h, &files, engines);
	test_files__free(&files);
	handler__close(&h);
	return status;
}

static int run(const char **operands, unsigned count)
{
	struct trial_engines engines = { 0 };
	int status = engines__pick(&engines, &options.engines);

	stop__watch();
	if (!status)
		status = test(operands, count, &engines);
	trial_engines_free(&engines);
	options__free_list(&options.engines);
	options__free_list(&options.compile);
	stop__end();
	return status;
}

static const struct example_row examples[] = {
	{ "spinctl test filtering.c", "Compiles a handler and runs its vectors on every engine." },
	{ "spinctl test filtering.spin --engine model --json", "An object's vectors on the model of the HPU alone." },
	{ 0 },
};

static const struct command_row row = {
	.name = "spinctl test",
	.operands = "HANDLER [VECTOR...]",
	.min_operands = 1,
	.max_operands = 65535,
	.summary = "Runs a handler's vectors on every engine and shows what is not as expected",
	.options = rows,
	.notes = "HANDLER is a source (NAME.c) or an object (NAME.spin). Its vectors are those named, files or\n"
		 "folders; else NAME.vec beside it and tests/vectors/NAME/*.vec in its folder or the one above.\n"
		 "The engines bpf and isolated need root; without it they are left out.",
	.about = "A vector is a text file: packets that go in, and what has to come out of each: verdict, reason, "
		 "frame and memory; of messages events, host memory and matching entries, too. Every engine has to give "
		 "the same: the host build, the kernel in both load classes (messages: the trusted one), and the model "
		 "of the HPU.\n\n"
		 "What is different is shown by name: header fields, bytes of the payload, fields of state and "
		 "tables; and whether the engines agree with each other. A source is compiled with the spincc "
		 "beside spinctl, or else the one in PATH.\n\n"
		 "An object may be anybody's: it runs on the model alone, which nothing gets out of. With --trust it runs in "
		 "the kernel, too, and its host build is made of the source beside it; if there is none, the host engine is "
		 "left out.",
	.examples = examples,
};

const struct subcommand test_command = { "test", &row, run, &options };
