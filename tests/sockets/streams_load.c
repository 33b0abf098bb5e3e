/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that every object of the tree with handlers for datagrams also loads for a TCP socket (user/libspin/streams/), in each load class
 * (trusted, isolated) in which it loads for datagrams; but for act_buffer_d, which is too large for the verifier in the isolated class.
 * Objects that spin_streams__fit() refuses (their handlers take messages, send packets or want a user header) are only counted. Run by
 * tests/run.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/common/built.h"
#include "user/libspin/streams/streams.h"

#define LARGE "/act_buffer_d.spin" /* in the isolated class: a buffer at two variable offsets */

static unsigned loaded, refused, large, failed;

static int create(const struct spin_object *obj, enum spin_class class, int is_stream)
{
	struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = class };
	struct spin_rule rule;
	struct spin_ctx *ctx;
	int err = spin_rule__parse("udp dport 7", &rule);

	if (!err)
		err = is_stream ? spin_streams__create(obj, &rule, &opts, NULL, &ctx)
				: spin_ctx__create_opts(NULL, obj, &rule, &opts, &ctx);
	if (!err)
		spin_ctx__destroy(ctx);
	return err;
}

static void check(const char *path)
{
	struct spin_object *obj;

	if (spin_object__open(path, &obj))
		return; /* deliberately damaged objects have tests of their own */
	if (spin_streams__fit(obj)) {
		refused++;
		spin_object__close(obj);
		return;
	}
	for (int class = SPIN_CLASS_TRUSTED; class <= SPIN_CLASS_ISOLATED; class ++) {
		if (create(obj, class, 0))
			continue; /* not for this class */
		if (!create(obj, class, 1)) {
			loaded++;
		} else if (strstr(path, LARGE) && class == SPIN_CLASS_ISOLATED && strstr(spin_strerror_last(), "1,000,000 steps")) {
			large++;
		} else {
			printf("FAIL: %s, %s: %s\n", path, spin_class_name(class), spin_strerror_last());
			failed++;
		}
	}
	spin_object__close(obj);
}

static void check_all(const char *directory)
{
	char path[600];
	struct dirent **names;
	int count = scandir(directory, &names, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		const char *end = strrchr(names[i]->d_name, '.');

		if (end && !strcmp(end, ".spin")) {
			snprintf(path, sizeof(path), "%s/%s", directory, names[i]->d_name);
			check(path);
		}
		free(names[i]);
	}
	if (count >= 0)
		free(names);
}

int main(void)
{
	char directory[512];

	if (geteuid()) {
		printf("skip: programs are loaded as root\n");
		return 77;
	}
	snprintf(directory, sizeof(directory), "%s/handlers", built_dir());
	check_all(directory);
	snprintf(directory, sizeof(directory), "%s/tests/handlers", built_dir());
	check_all(directory);
	printf("%u loaded, %u are not for streams, %u is too large\n", loaded, refused, large);
	if (loaded < 20) {
		printf("FAIL: where are the handlers?\n");
		failed++;
	}
	return failed != 0;
}
