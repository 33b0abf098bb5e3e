/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs a test once on each engine (four executions of the same handler: host build, BPF, BPF in the isolated class, NIC model), or on the
 * one that --engine names. Called by main() of tests in tests/messages and tests/segments. Engines that cannot run here are skipped.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/common/each_engine.h"

static int status_of(enum engine_kind kind, int rc)
{
	if (rc >= 0)
		return rc > 0;
	printf("%s %s: %s\n", engine_cannot(rc) ? "skip:" : "FAIL ", engine_name(kind), engine_error());
	return engine_cannot(rc) ? 77 : 1;
}

int engines_run(const int wanted[ENGINE_OF_ALL], int (*run)(enum engine_kind kind, void *arg), void *arg)
{
	int failed = 0, skipped = 0;

	for (int kind = 0; kind < ENGINE_OF_ALL; kind++) {
		int status = wanted[kind] ? status_of((enum engine_kind)kind, run((enum engine_kind)kind, arg)) : 0;

		failed |= status == 1;
		skipped |= status == 77;
	}
	return failed ? 1 : skipped ? 77 : 0;
}

/* Takes it as a success that the isolated class does not support messages. */
static int run_if_supported(enum engine_kind kind, void *arg)
{
	int (**run)(enum engine_kind kind) = arg;
	int rc = (*run)(kind);

	return kind == ENGINE_ISOLATED && rc == -EOPNOTSUPP ? 0 : rc;
}

int each_engine(int argc, char **argv, int (*run)(enum engine_kind kind))
{
	int only = argc == 3 && !strcmp(argv[1], "--engine") ? (int)engine_find(argv[2]) : -1;
	int wanted[ENGINE_OF_ALL];

	if ((argc != 1 && argc != 3) || only >= ENGINE_OF_ALL || (argc == 3 && only < 0)) {
		fprintf(stderr, "usage: %s [--engine host|bpf|isolated|model]\n", argv[0]);
		return 2;
	}
	for (int kind = 0; kind < ENGINE_OF_ALL; kind++)
		wanted[kind] = only < 0 || kind == only;
	return engines_run(wanted, run_if_supported, &run);
}
