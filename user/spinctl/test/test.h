/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_TEST_TEST_H
#define USER_SPINCTL_TEST_TEST_H

/*
 * spinctl test: the files of a handler's vectors (tests as text: packets in, expected results out), and the printer of results. Shared by
 * test.c and print.c.
 */
#include "user/conformance/comparison.h"
#include "user/tool/handler.h"
#include "user/spinctl/spinctl.h"

/* Names of vector files, in the order they are run. */
struct test_files {
	char **path;
	unsigned count;
};

/*
 * Finds a handler's vectors: NAME.vec in its directory, and tests/vectors/NAME/ there and in the parent directory. Returns DONE, or
 * FAILED after a message, also if there are none.
 */
int test_files__find(struct test_files *files, const struct handler *h);
/* Adds a vector file, or all *.vec of a directory. */
int test_files__add(struct test_files *files, const char *path);
void test_files__free(struct test_files *files);

/* The printer of results, for text and JSON. */
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
/* Reports a vector that cannot be read. */
void test_print__unread(struct test_printer *p, const char *path, const char *reason);
void test_print__end(struct test_printer *p);

#endif
