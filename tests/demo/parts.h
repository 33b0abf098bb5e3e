/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_DEMO_PARTS_H
#define TESTS_DEMO_PARTS_H

/*
 * The parts of `make demo`, which demo.c calls. Each prints its results and fills its summary. They run in steps, each in a child process.
 * A step that fails, or exceeds proc_step_max_s() on a busy machine, is reported; the other steps and the summary continue.
 */
#include "tests/common/measure/measure.h"
#include "tests/common/net/netlab.h"
#include "tests/demo/summary.h"

struct demo {
	struct lab lab;
	struct measure measure;
	char handlers[256]; /* directory of the fat objects */
	char programs[256]; /* directory of the demo's BPF programs and output files */
};

/*
 * Runs fn(demo, arg) in a child process, which stores its results in shared memory. Returns 0, or -1 after a message about what was
 * skipped.
 */
int demo_step(struct demo *demo, const char *what, void (*fn)(struct demo *demo, void *arg), void *arg);

/* Summaries are in shared memory. Both functions return 0, or -1 if the summary is incomplete. */
int demo_filtering(struct demo *demo, struct summary *s);
int demo_kvstore(struct demo *demo, struct summary *s);
/* Attaches handlers to sockets of an unprivileged user's programs, by spind. Returns 0, or -1 if a check failed. */
int demo_sockets(struct demo *demo);
/* Same for memcached, whose GETs the handlers answer. Returns 0, also if memcached is not installed, or -1. */
int demo_memcached(struct demo *demo);

#endif
