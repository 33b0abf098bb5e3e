/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_LOSSY_H
#define TESTS_COMMON_LOSSY_H

/*
 * A bad link between two network namespaces: two veth pairs, and between them a relay of two threads, one
 * for each direction, that loses, doubles and reorders frames at random. What becomes of the n-th frame of a direction
 * depends on the seed and n alone. Names and addresses are those of tests/common/net/pair.h.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "tests/common/net/pair.h"

/* In percent of the frames; what is held comes 1 to `reach` frames later, or when no more come. */
struct lossy_rates {
	unsigned lose, twice, hold, reach;
};

#define LOSSY_REACH_MAX 511u

struct lossy_counts {
	uint64_t frames; /* that came in */
	uint64_t lost, doubled, held;
	uint64_t overtaken; /* held ones that at least one later frame got ahead of */
	uint64_t overrun;   /* not seen by the relay, which was too slow: lost, too */
};

struct lossy_frame;

/* One direction; private but for the counts, which may be read at any time. */
struct lossy_way {
	struct lossy_rates rates;
	struct lossy_counts counts;
	uint64_t random;
	int from, to; /* packet sockets */
	atomic_int *stopping;
	struct lossy_frame *frames, *free;
	struct lossy_frame *later[LOSSY_REACH_MAX + 1]; /* held ones, by the count of frames when they go on */
	unsigned held_now;
	uint64_t passed; /* number of the last frame that went on at once */
	pthread_t thread;
};

struct lossy {
	int near_ns, far_ns, middle_ns;
	int pass[2];                  /* XDP in the middle */
	struct lossy_way there, back; /* near to far, far to near */
	atomic_int stopping;
};

/* Ends the test as skipped without root, as failed if it cannot be made. The thread is in the near namespace then. */
void lossy__open(struct lossy *link, struct lossy_rates there, struct lossy_rates back, uint64_t seed);
void lossy__close(struct lossy *link);
/* A line for each direction. */
void lossy__print(const struct lossy *link);

#endif
