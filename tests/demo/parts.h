/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_DEMO_PARTS_H
#define TESTS_DEMO_PARTS_H

/*
 * The parts of the demo. Each prints its results and fills its summary. They run in steps, each in a child process. A step
 * that fails, or exceeds proc_step_s() on a busy machine, reports it; the other steps and the summary continue.
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

/*
 * Runs fn(demo, arg) in a child process, which leaves its results in shared memory. Returns 0, or -1 after a message that says
 * what was skipped.
 */
int demo_step(struct demo *demo, const char *what, void (*fn)(struct demo *demo, void *arg), void *arg);

/* Summaries are in shared memory. Both functions return 0, or -1 if the summary is incomplete. */
int demo_filtering(struct demo *demo, struct summary *s);
int demo_kvstore(struct demo *demo, struct summary *s);
/* Handlers on the sockets of programs of an ordinary user, by spind. 0, or -1 if something was not as it is to be. */
int demo_sockets(struct demo *demo);
/* The same for memcached, whose GETs handlers answer. 0, also where it is not installed, or -1. */
int demo_memcached(struct demo *demo);

#endif
