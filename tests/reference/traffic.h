/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_REFERENCE_TRAFFIC_H
#define TESTS_REFERENCE_TRAFFIC_H

/*
 * Many messages for the test handlers msg_script, sent in parallel by tests/messages/many_cpus_one_message.c and
 * tests/live/many_queues_one_message.c. The handler runs that the context reports by SPIN_EVENT_RAN must fulfil what sPIN guarantees in any
 * order. Then the reference, a plain-C model, handles the same packets in the order of those events, and must end with the same state and
 * host memory.
 */
#include "user/conformance/engine.h"

#include "tests/reference/schedule.h"

#define TRAFFIC_PACKETS_MAX 40u
#define TRAFFIC_STRIDE_MAX  64u
#define TRAFFIC_SLOT        (TRAFFIC_PACKETS_MAX * TRAFFIC_STRIDE_MAX + 64u) /* of host memory, for one message */
#define TRAFFIC_SLOTS       1024u                                            /* two messages this far apart are never in flight together */
#define TRAFFIC_HOST_BYTES  (TRAFFIC_SLOTS * TRAFFIC_SLOT)

struct traffic_message {
	uint8_t packets, stride, last; /* last: bytes of the last packet */
	uint64_t ran;                  /* payload handlers, one bit per packet */
	unsigned headers, completions, reported;
};

struct traffic {
	unsigned messages;
	struct traffic_message *message; /* by message_id */
	uint64_t packets;                /* of all messages, each packet counted once */
	struct engine *reference;
	uint64_t runs;
	int failed; /* 1: a message was printed */
};

/* Returns the options of a context for such traffic. */
struct spin_message_opts traffic_opts(unsigned messages, unsigned parking);
void traffic_start(struct traffic *t, unsigned messages, uint64_t seed, const struct spin_message_opts *opts);
void traffic_stop(struct traffic *t);

/* Returns packet number `packet` of a message. */
struct step traffic_step(const struct traffic *t, unsigned message, unsigned packet);
/* Processes one event of the context. Events must be in order. */
void traffic_event(struct traffic *t, const struct spin_event *event);
/* Must be called when all messages were sent completely. Returns 1 if everything required has happened exactly once. */
int traffic_complete(struct traffic *t);
/* Returns 1 if state and host memory equal the reference's. With flow control the dropped bytes may be more. */
int traffic_compare(struct traffic *t, const struct script_state *state, const uint8_t *host, int flow_control);

#endif
