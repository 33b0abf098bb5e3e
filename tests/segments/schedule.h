/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_SEGMENTS_SCHEDULE_H
#define TESTS_SEGMENTS_SCHEDULE_H

/*
 * Schedules: the TCP segments of a few connections that a context (attached handlers) gets, one after the other. Tests in this directory
 * generate them at random, and compare what an engine (kernel, host build, model) does with the reference; the same seed gives the same
 * schedule.
 */
#include <stdio.h>

#include "tests/segments/frame.h"
#include "user/conformance/engine.h"

/*
 * Slots: keys that differ in one part from that of slot 0. Two connections of a schedule may be in the same slot, with different source
 * ports: these say what the completion handler returns (enum seg_ask).
 */
#define SEGMENT_SLOTS           7u
#define SEGMENT_CONNECTIONS_MAX 4u
/* The most keys that a context sees. Engines have SPIN_CONNECTIONS_MAX places, and may evict a connection before all are taken. */
#define SEGMENT_FRESH_MAX 24u

struct segment_connection {
	uint8_t slot;
	uint8_t ask; /* enum seg_ask of the completion handler */
};

struct segment_step {
	uint8_t connection; /* index */
	uint8_t flags;      /* SPIN_TCP_* */
	uint8_t header_rc;  /* code of the header handler, exclusive or SPIN_RC_PROCESS_DATA: 0 is the usual one */
	uint8_t payload;    /* enum seg_ask of the payload handler, and SEG_REWRITES */
	uint32_t seq;
	uint32_t bytes;
	struct segframe_shape shape;
};

struct segment_schedule {
	unsigned handler; /* index of segment_handlers */
	/*
	 * 1: the keys are new to the engine. 0: each key has had a connection, which has ended: its first and next byte are
	 * SEGMENT_EARLIER.
	 */
	int fresh;
	unsigned connections;
	struct segment_connection connection[SEGMENT_CONNECTIONS_MAX];
	unsigned steps, room;
	struct segment_step *step;
};

#define SEGMENT_EARLIER  0x80000000u
#define SEGMENT_HANDLERS 4u

extern const char *const segment_handlers[SEGMENT_HANDLERS];

void segment_schedule_add(struct segment_schedule *s, const struct segment_step *step);
void segment_schedule_insert(struct segment_schedule *s, unsigned at, const struct segment_step *step);
void segment_schedule_remove(struct segment_schedule *s, unsigned from, unsigned count);
void segment_schedule_copy(struct segment_schedule *to, const struct segment_schedule *from);
void segment_schedule_free(struct segment_schedule *s);

/* The segment of a step. `generation` distinguishes the keys of schedules that need new ones; its payload is valid until the next call. */
void segment_of_step(const struct segment_schedule *s, const struct segment_step *step, unsigned generation, struct segref_segment *out);
/* Prints the schedule in readable form, one step a line. */
void segment_schedule_print(const struct segment_schedule *s, FILE *to);

/* --- random schedules, the same for the same seed --- */

void segment_schedule_generate(struct segment_schedule *s, uint64_t seed);

/* --- comparing --- */

struct segment_tally {
	uint64_t schedules, segments, runs[4]; /* by SEG_HEADER and so on */
	uint64_t reasons[SPIN_REASON_COUNT], events[SPIN_EVENT_OVERRUN + 1];
};

/* Two executions of one handler; [0] is the reference. */
struct segment_pair {
	struct engine *engine[2];
	unsigned fresh; /* schedules with new keys so far, of SEGMENT_FRESH_MAX */
};

/*
 * Runs a schedule on both and compares everything after each segment. Returns 0 if they agree, 1 if not (`reason` says how), negative:
 * engine_error(). tally may be NULL. A schedule with new keys needs pair->fresh < SEGMENT_FRESH_MAX.
 */
int segment_schedule_compare(const struct segment_schedule *s, struct segment_pair *pair, char *reason, size_t reason_bytes,
			     struct segment_tally *tally);

/* Reduces a failing schedule while it still fails; makes at most `tries` attempts. */
void segment_schedule_shrink(struct segment_schedule *s, int (*fails)(void *arg, const struct segment_schedule *s), void *arg,
			     unsigned tries);

#endif
