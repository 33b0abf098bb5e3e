/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_EACH_ENGINE_H
#define TESTS_COMMON_EACH_ENGINE_H

/*
 * Main function of a test that runs on every engine (four executions of the same handler: host build, BPF, BPF in the isolated class, NIC
 * model): PROGRAM [--engine host|bpf|isolated|model]. Used by tests in tests/messages and tests/segments; engines_run() also by
 * tests/reference/schedules_main.c, which has more options.
 */
#include "user/conformance/engine.h"

/*
 * run() returns 0, or 1 after a message, or a negative errno with engine_error(). each_engine() returns the exit status: 77 if an engine
 * cannot run here. The isolated class does not support messages; this does not count as a skip.
 */
int each_engine(int argc, char **argv, int (*run)(enum engine_kind kind));
/* Runs on the engines that are not 0 in `wanted`. An error of run() is printed, also that of the isolated class. Returns the exit status. */
int engines_run(const int wanted[ENGINE_OF_ALL], int (*run)(enum engine_kind kind, void *arg), void *arg);

#endif
