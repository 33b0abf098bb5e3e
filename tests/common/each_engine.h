/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_EACH_ENGINE_H
#define TESTS_COMMON_EACH_ENGINE_H

/*
 * Main function of a test that runs on every engine (four executions of the same handler: host build, BPF, BPF in the isolated class, NIC
 * model): PROGRAM [--engine host|bpf|isolated|model]. Used by tests/messages/every_order.c and long_messages.c.
 */
#include "user/conformance/engine.h"

/*
 * run() returns 0, or 1 after a message, or a negative errno with engine_error(). each_engine() returns the exit status: 77 if an engine
 * cannot run here. The isolated class does not support messages; this does not count as a skip.
 */
int each_engine(int argc, char **argv, int (*run)(enum engine_kind kind));

#endif
