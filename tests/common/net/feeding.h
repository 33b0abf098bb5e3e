/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_FEEDING_H
#define TESTS_COMMON_FEEDING_H

/*
 * A program that turns the frame into the next packet of a message and tail-calls the program under test
 * (tests/bench/mpq.bpf.c). PROG_TEST_RUN passes a program the frame that its last run left. Each opened program has its own
 * feed, for its own thread.
 */
#include <bpf/libbpf.h>

#include "tests/bench/mpq.h"

struct feeding {
	struct bpf_object *object;
	struct feed *feed; /* shared with the program */
	int fd, next_fd;
};

/* Loads an object of $BUILD/tests/bench the same way as handlers' objects. Returns NULL after a message. */
struct bpf_object *feeding__program(const char *name);
/* Maps a variable of an object. Returns NULL after a message. */
void *feeding__variable(const struct bpf_object *object, const char *name);

/* Returns 0, or -1 after a message. */
int feeding__open(struct feeding *f);
void feeding__close(struct feeding *f);
/* Selects the program that gets the packets. Returns 0 or -errno. */
int feeding__to(struct feeding *f, int program_fd);

#endif
