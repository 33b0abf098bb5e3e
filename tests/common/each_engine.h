/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_EACH_ENGINE_H
#define TESTS_COMMON_EACH_ENGINE_H

/* The main function of a test of messages: PROGRAM [--engine host|bpf|isolated|model] */
#include "user/conformance/engine.h"

/*
 * run() gives 0, 1: failed and said so, or a negative errno with engine_why(). Returns the exit status:
 * 77 if an engine cannot run here; the isolated class takes no messages, and is no skip.
 */
int each_engine(int argc, char **argv, int (*run)(enum engine_kind kind));

#endif
