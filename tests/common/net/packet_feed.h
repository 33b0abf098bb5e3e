/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_PACKET_FEED_H
#define TESTS_COMMON_PACKET_FEED_H

/*
 * A program that turns the frame into the next packet of a message and tail-calls the program under test (tests/bench/mpq.bpf.c). It is
 * needed because PROG_TEST_RUN passes a program the frame that its last run left. Used by the benchmarks mpq.c, two_cpus.c and ring.c. Each
 * opened program has its own feed, for its own thread.
 */
#include <bpf/libbpf.h>

#include "tests/bench/mpq.h"

struct packet_feed {
	struct bpf_object *object;
	struct feed *feed; /* shared with the program */
	int fd, next_fd;
};

/* Loads an object of $BUILD/tests/bench the same way as handlers' objects. Returns NULL after a message. */
struct bpf_object *packet_feed__program(const char *name);
/* Maps a variable of an object. Returns NULL after a message. */
void *packet_feed__variable(const struct bpf_object *object, const char *name);

/* Returns 0, or -1 after a message. */
int packet_feed__open(struct packet_feed *f);
void packet_feed__close(struct packet_feed *f);
/* Selects the program that gets the packets. Returns 0 or -errno. */
int packet_feed__set_target(struct packet_feed *f, int program_fd);

#endif
