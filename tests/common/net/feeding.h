/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_FEEDING_H
#define TESTS_COMMON_FEEDING_H

/*
 * A program that makes the frame the next packet of a message and goes on to the program under test (tests/bench/mpq.bpf.c):
 * PROG_TEST_RUN gives a program the frame that its last run left. Each one opened has a feed of its own, for a thread of its own.
 */
#include <bpf/libbpf.h>

#include "tests/bench/mpq.h"

struct feeding {
	struct bpf_object *object;
	struct feed *feed; /* shared with the program */
	int fd, next_fd;
};

/* An object of $BUILD/tests/bench, loaded as those of handlers are; NULL with a message. */
struct bpf_object *feeding__program(const char *name);
/* A variable of an object, mapped; NULL with a message. */
void *feeding__variable(const struct bpf_object *object, const char *name);

/* 0, or -1 with a message. */
int feeding__open(struct feeding *f);
void feeding__close(struct feeding *f);
/* Which program gets the packets: 0 or -errno. */
int feeding__to(struct feeding *f, int program_fd);

#endif
