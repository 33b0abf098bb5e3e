/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_REFERENCE_TRAFFIC_H
#define TESTS_REFERENCE_TRAFFIC_H

/*
 * Many messages for msg_script, sent in parallel: what handlers ran, as the context tells
 * it by SPIN_EVENT_RAN, is held to what sPIN promises whatever the order; then the reference handles
 * the same packets in the order of those events, and has to have the same state and host memory.
 */
#include "user/conformance/engine.h"

#include "tests/reference/schedule.h"

#define TRAFFIC_PACKETS_MAX 40u
#define TRAFFIC_STRIDE_MAX  64u
#define TRAFFIC_SLOT        (TRAFFIC_PACKETS_MAX * TRAFFIC_STRIDE_MAX + 64u) /* of host memory, a message's own */
#define TRAFFIC_SLOTS       1024u                                            /* messages between which none is in flight twice */
#define TRAFFIC_HOST_BYTES  (TRAFFIC_SLOTS * TRAFFIC_SLOT)

struct traffic_message {
	uint8_t packets, stride, last; /* last: bytes of the last packet */
	uint64_t ran;                  /* payload handlers, a bit per packet */
	unsigned headers, completions, told;
};

struct traffic {
	unsigned messages;
	struct traffic_message *message; /* by message_id */
	uint64_t packets;                /* of all of them, each counted once */
	struct engine *reference;
	uint64_t runs;
	int failed; /* what is wrong has been said */
};

/* The options that a context for such traffic has. */
struct spin_message_opts traffic_opts(unsigned messages, unsigned parking);
void traffic_start(struct traffic *t, unsigned messages, uint64_t seed, const struct spin_message_opts *opts);
void traffic_stop(struct traffic *t);

/* Packet `packet` of a message. */
struct step traffic_step(const struct traffic *t, unsigned message, unsigned packet);
/* One event of the context, in their order. */
void traffic_event(struct traffic *t, const struct spin_event *event);
/* All messages were sent whole: 1 if all has happened that had to, once. */
int traffic_complete(struct traffic *t);
/* 1 if state and host memory are what the reference has; with flow control dropped bytes may be more. */
int traffic_compare(struct traffic *t, const struct script_state *state, const uint8_t *host, int flow_control);

#endif
