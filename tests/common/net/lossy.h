/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_LOSSY_H
#define TESTS_COMMON_LOSSY_H

/*
 * A bad link between two network namespaces: two veth pairs and a relay between them, with a thread for each direction, which loses,
 * duplicates and reorders frames at random. What happens to a direction's n-th frame depends only on the seed and n. Names and addresses
 * are those of tests/common/net/pair.h. Used by tests in tests/live, tests/segments, tests/transfer and tests/stress.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "tests/common/net/pair.h"

/* Percentages of the frames. A held frame is sent 1 to `reach` frames later, or when no more frames arrive. */
struct lossy_rates {
	unsigned lose, twice, hold, reach;
};

#define LOSSY_REACH_MAX 511u

/*
 * Receivers must remember complete messages for as long as frames may be in flight, otherwise a late frame starts the message again. The
 * default (2 s) is shorter than the relay's threads may wait for a CPU on a busy machine.
 */
#define LOSSY_TOMBSTONE_MS 20000u

struct lossy_counts {
	uint64_t frames; /* received */
	uint64_t lost, doubled, held;
	uint64_t overtaken; /* held frames that at least one later frame overtook */
	uint64_t overrun;   /* missed because the relay was too slow; also counted as lost */
};

struct lossy_frame;

/* One direction. Private except for the counts, which may be read at any time. */
struct lossy_direction {
	struct lossy_rates rates;
	struct lossy_counts counts;
	uint64_t random;
	int from, to; /* packet sockets */
	atomic_int *stopping;
	struct lossy_frame *frames, *free;
	struct lossy_frame *later[LOSSY_REACH_MAX + 1]; /* held frames, by the frame number at which they are sent */
	unsigned held_now;
	uint64_t passed; /* number of the last frame that was sent at once */
	pthread_t thread;
};

struct lossy {
	int near_ns, far_ns, middle_ns;
	int pass[2];                        /* XDP programs of the relay's ends */
	struct lossy_direction there, back; /* near to far, far to near */
	atomic_int stopping;
};

/* Ends the test as skipped without root, as failed on other errors. The thread is then in the near namespace. */
void lossy__open(struct lossy *link, struct lossy_rates there, struct lossy_rates back, uint64_t seed);
void lossy__close(struct lossy *link);
/* Prints a line for each direction. */
void lossy__print(const struct lossy *link);

#endif
