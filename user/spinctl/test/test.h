/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_TEST_TEST_H
#define USER_SPINCTL_TEST_TEST_H

/* spinctl test: the vectors of a handler, and the printer of results. Shared by test.c and print.c. */
#include "user/conformance/comparison.h"
#include "user/tool/handler.h"
#include "user/spinctl/spinctl.h"

/* Names of vector files, in the order they are run. */
struct test_files {
	char **path;
	unsigned count;
};

/*
 * A handler's vectors: NAME.vec beside it, and tests/vectors/NAME/ in its directory and in
 * the one above. DONE or FAILED after a message; none is a failure.
 */
int test_files__find(struct test_files *files, const struct handler *h);
/* A file, or a directory of them. */
int test_files__add(struct test_files *files, const char *path);
void test_files__free(struct test_files *files);

/* Printing of results; text and JSON come from the same comparisons. */
struct test_printer {
	int json;
	struct json j;
	const struct handler *handler;
	const struct comparison_engines *engines;
	unsigned passed, failed;
	int ran[ENGINE_KINDS];
};

void test_print__start(struct test_printer *p);
void test_print__comparison(struct test_printer *p, const struct comparison *t);
/* A vector that cannot be read. */
void test_print__unread(struct test_printer *p, const char *path, const char *reason);
void test_print__end(struct test_printer *p);

#endif
