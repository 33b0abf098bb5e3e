/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_DEMO_PARTS_H
#define TESTS_DEMO_PARTS_H

/*
 * The two parts of the demo. Each prints what it sees and fills its summary. They do so in steps, each a process of its own:
 * one that fails, or takes longer than proc_step_s() on a busy machine, says so and leaves the others and the summary.
 */
#include "tests/common/measure.h"
#include "tests/common/net/netlab.h"
#include "tests/demo/summary.h"

struct demo {
	struct lab lab;
	struct measure measure;
	char handlers[256]; /* directory of the fat objects */
	char programs[256]; /* directory of the demo's own BPF programs, and of what it writes */
};

/* fn(demo, arg) in a process of its own; what it leaves is in shared memory. 0, or -1 after it was said what was given up. */
int demo_step(struct demo *demo, const char *what, void (*fn)(struct demo *demo, void *arg), void *arg);

/* In shared memory, as the summary is, here and below. 0, or -1: something is missing in the summary. */
int demo_filtering(struct demo *demo, struct summary *s);
int demo_kvstore(struct demo *demo, struct summary *s);

#endif
