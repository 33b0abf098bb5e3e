/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * spinctl test: finds the vectors of a handler (tests as text: packets in, expected results out) and runs each on every engine that
 * supports it (host build, kernel, model of the NIC). Fails if a result differs from its vector. main.c runs it through test_command.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/spinctl/engines.h"
#include "user/tool/notify.h"
#include "user/spinctl/test/test.h"

static struct test_options {
	struct option_list engines, compile;
	int json, trust;
} options;

#define FIELD(name) offsetof(struct test_options, name)

/* clang-format off */
static const struct option_row rows[] = {
	ENGINE_OPTION(struct test_options, engines, "host|bpf|isolated|model|nfp"),
	{ NULL, 'I', OPTION_WORD, "DIR", FIELD(compile), "a directory for #include, when HANDLER is a source" },
	{ NULL, 'D', OPTION_WORD, "NAME[=VALUE]", FIELD(compile), "a macro, when HANDLER is a source" },
	TRUST_OPTION(struct test_options, trust),
	{ "json", 0, OPTION_FLAG, NULL, FIELD(json), "one JSON document" },
	{ 0 },
};
/* clang-format on */

static void test_vector(struct test_printer *p, const char *path, struct engine_cache *cache, struct comparison_engines *engines)
{
	const struct handler *h = p->handler;
	char reason[256];
	struct vector *v;
	struct comparison t;

	if (vector_read(path, &v)) {
		test_print__unread(p, path, engine_error());
		return;
	}
	if (strcmp(v->handler, h->name)) {
		snprintf(reason, sizeof(reason), "it is for handler %s, this is %s", v->handler, h->name);
		test_print__unread(p, path, reason);
	} else {
		comparison_run(&t, v, cache, &h->files, engines);
		test_print__comparison(p, &t);
		comparison_free(&t);
	}
	vector_free(v);
}

static int test_all(const struct handler *h, const struct test_files *files, struct comparison_engines *engines)
{
	struct test_printer p = { .json = options.json, .handler = h, .engines = engines };
	struct engine_cache cache = { 0 };

	test_print__start(&p);
	for (unsigned i = 0; i < files->count && !signals__signal(); i++)
		test_vector(&p, files->path[i], &cache, engines);
	if (!signals__signal())
		test_print__end(&p);
	engines__report_skipped(engines);
	engine_cache_close(&cache);
	return p.failed || signals__signal() ? FAILED : DONE;
}

static int test(const char **operands, unsigned count, struct comparison_engines *engines)
{
	struct handler_open_opts wants = { .host = engines->wanted[ENGINE_HOST],
					   .verify = engines__want_kernel(engines),
					   .trust = options.trust,
					   .card = engines->wanted[ENGINE_NFP],
					   .compile = &options.compile };
	struct test_files files = { 0 };
	struct handler h;
	int status = handler__open(&h, operands[0], &wants);

	if (!status)
		engines__add_card(engines, &h);
	if (!status)
		status = engines__drop_host(engines, &h);
	if (!status)
		status = engines__drop_untrusted(engines, &h, options.trust);
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
	struct comparison_engines engines = { 0 };
	int status = engines__select(&engines, &options.engines);

	signals__watch();
	if (!status)
		status = test(operands, count, &engines);
	comparison_engines_free(&engines);
	options__free_list(&options.engines);
	options__free_list(&options.compile);
	signals__end();
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
		 "directories; else NAME.vec in its directory and tests/vectors/NAME/*.vec there or in the directory above.\n"
		 "The engines bpf and isolated need root; without it they are left out.",
	.about =
		"A vector is a text file: packets that go in, and what has to come out of each: verdict, reason, "
		"frame and memory; of messages events, host memory and matching entries, too. Every engine has to give "
		"the same: the host build, the kernel in both load classes (messages: the trusted one), the model of the HPU, and "
		"the program for a card, where the object has one or --engine nfp asks for it, run by the kernel (datagrams in one buffer, no events).\n\n"
		"What is different is shown by name: header fields, bytes of the payload, fields of state and "
		"tables; and whether the engines agree with each other. A source is compiled with the spincc "
		"beside spinctl, or else the one in PATH.\n\n"
		"An object may be anybody's: it runs on the model alone, which nothing gets out of. With --trust it runs in "
		"the kernel, too, and its host build is made of the source in its directory; if there is none, the host engine is "
		"left out.",
	.examples = examples,
};

const struct subcommand test_command = { "test", &row, run, &options };

static int add_file(struct test_files *files, const char *path)
{
	char **grown = realloc(files->path, (files->count + 1) * sizeof(*grown));

	if (grown)
		files->path = grown;
	if (!grown || !(grown[files->count] = strdup(path)))
		return report_error("no memory");
	files->count++;
	return DONE;
}

static int is_vector(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return entry->d_name[0] != '.' && length > 4 && !strcmp(entry->d_name + length - 4, ".vec");
}

static int add_directory(struct test_files *files, const char *directory)
{
	struct dirent **list;
	int count = scandir(directory, &list, is_vector, alphasort), status = DONE;

	for (int i = 0; i < count; i++) {
		char path[PATH_MAX];

		if (!status && snprintf(path, sizeof(path), "%s/%s", directory, list[i]->d_name) < (int)sizeof(path))
			status = add_file(files, path);
		free(list[i]);
	}
	if (count >= 0)
		free(list);
	return status;
}

int test_files__add(struct test_files *files, const char *path)
{
	size_t length = strlen(path);
	unsigned before = files->count;
	char directory[PATH_MAX];
	struct stat st;
	int status;

	if (stat(path, &st))
		return report_error("cannot open %s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return add_file(files, path);
	while (length > 1 && path[length - 1] == '/')
		length--;
	snprintf(directory, sizeof(directory), "%.*s", (int)length, path);
	status = add_directory(files, directory);
	return status || files->count > before ? status : report_error("%s has no *.vec", path);
}

/* Converts "a/b/" to "a/", "a/" to "", "" to "../". */
static void directory_above(const char *directory, char *above, size_t bytes)
{
	size_t length = strlen(directory), at;

	while (length && directory[length - 1] == '/')
		length--;
	at = length;
	while (at && directory[at - 1] != '/')
		at--;
	if (at == length || (length - at <= 2 && !strncmp(directory + at, "..", length - at)))
		snprintf(above, bytes, "%s../", directory);
	else
		snprintf(above, bytes, "%.*s", (int)at, directory);
}

int test_files__find(struct test_files *files, const struct handler *h)
{
	char above[PATH_MAX + 4], path[PATH_MAX + sizeof(h->stem) + 32];
	int status = DONE;

	snprintf(path, sizeof(path), "%s%s.vec", h->directory, h->stem);
	if (!access(path, F_OK))
		status = add_file(files, path);
	snprintf(path, sizeof(path), "%stests/vectors/%s", h->directory, h->stem);
	if (!status)
		status = add_directory(files, path);
	directory_above(h->directory, above, sizeof(above));
	snprintf(path, sizeof(path), "%stests/vectors/%s", above, h->stem);
	if (!status)
		status = add_directory(files, path);
	if (status || files->count)
		return status;
	return report_error("%s has no vectors: write %s%s.vec (`spinctl new` shows how one looks), or name some", h->stem, h->directory,
			    h->stem);
}

void test_files__free(struct test_files *files)
{
	for (unsigned i = 0; i < files->count; i++)
		free(files->path[i]);
	free(files->path);
}
