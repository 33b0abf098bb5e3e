/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_REFERENCE_SCHEDULE_H
#define TESTS_REFERENCE_SCHEDULE_H

/*
 * Schedules: the packets, clock steps and calls that a context (attached handlers that take messages) gets, one after the other. Tests in
 * tests/messages generate them at random and compare engines on them; the same seed gives the same schedule.
 */
#include <stdio.h>

#include "user/conformance/engine.h"
#include <spin/slmp.h>

#include "tests/handlers/messages/msg_script.h"

#include "tests/reference/frame.h"

#define SCHEDULE_PORT    SPIN_SLMP_PORT
#define SCHEDULE_SOURCES 6u

/* A context that runs schedules. */
struct schedule_setup {
	const char *name;
	const char *handler;
	struct spin_message_opts message;
};

extern const struct schedule_setup schedule_setups[];
extern const unsigned schedule_setups_count;

enum step_kind { STEP_PACKET, STEP_CLOCK, STEP_POST, STEP_UNLINK };

struct step_put {
	uint8_t op, version;
	uint16_t unused;
	uint32_t length;
	uint64_t match_bits, hdr_data, offset;
};

struct step {
	enum step_kind kind;
	/* PACKET */
	uint32_t source; /* below SCHEDULE_SOURCES */
	uint32_t message_id;
	uint16_t flags;
	uint32_t offset;
	uint32_t bytes;           /* of payload */
	uint32_t cut;             /* bytes cut off the end of the UDP payload */
	struct script_ask ask;    /* the first bytes of the payload: for the header handler, or for the packet itself */
	struct script_ask second; /* after the user header, if the handler has one; first packets only */
	struct step_put put;      /* if the flag is set */
	enum frame_sum sum;
	/* CLOCK */
	uint32_t advance_ms;
	/* POST */
	struct spin_me_opts me;
	/* UNLINK */
	uint32_t index;
};

struct schedule {
	unsigned setup; /* index in schedule_setups */
	unsigned steps, room;
	struct step *step;
};

void schedule_add(struct schedule *s, const struct step *step);
void schedule_insert(struct schedule *s, unsigned at, const struct step *step);
void schedule_remove(struct schedule *s, unsigned from, unsigned count);
void schedule_copy(struct schedule *to, const struct schedule *from);
void schedule_free(struct schedule *s);

/* The source as a matching entry names it, with or without its port. */
void step_source(uint32_t source, int port, struct spin_process *out);
/* Writes the frame of a PACKET and returns its length. */
uint32_t step_frame(const struct step *step, uint8_t *frame);
/* Prints the schedule in readable form. */
void schedule_print(const struct schedule *s, FILE *to);
/* Writes the schedule as a vector (tests/vectors/README.md) that expects the reference's results. Handler runs are not among its events. */
void schedule_write_vector(const struct schedule *s, FILE *to);

/* --- random schedules, the same for the same seed --- */

void schedule_generate(struct schedule *s, unsigned setup, uint64_t seed);

/* --- comparing --- */

struct schedule_tally {
	uint64_t schedules, steps, packets, cut_short;
	uint64_t reasons[SPIN_REASON_COUNT], events[SPIN_EVENT_RAN + 1];
};

/*
 * Runs a schedule on two engines with the same setup, and compares all visible state after every step. Returns 0 if they
 * agree, 1 if not (`reason` says how), negative: engine_error(). The first engine is the reference. tally may be NULL.
 */
int schedule_compare(const struct schedule *s, struct engine *reference, struct engine *engine, char *reason, size_t reason_bytes,
		     struct schedule_tally *tally);

/* Reduces a failing schedule while it still fails; makes at most `tries` attempts. */
void schedule_shrink(struct schedule *s, int (*fails)(void *arg, const struct schedule *s), void *arg, unsigned tries);

#endif
