/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_HAMMERING_H
#define TESTS_COMMON_HAMMERING_H

/*
 * The host's side of tests/handlers/messages/hammer.c and hammer_message.c: contexts of them, senders, and whether every place that HPUs
 * share has counted each run once. Functions that return a reason: NULL is right; else it is valid until the next one.
 */
#include <pthread.h>

#include <spin/libspin_message.h>
#include "tests/handlers/messages/hammer.h"

struct hammering {
	struct spin_ctx *ctx;
	struct hammer_state *state;
	char name[16];
	enum spin_hpus hpus;
	uint32_t hpu_count; /* asked for; to be set before opening, 0: all */
};

/* *h is zero, but for hpu_count. nic offline: PROG_TEST_RUN's. `rounds`: how long a run takes. Attached. */
const char *hammering__open(struct hammering *h, struct spin_nic *nic, const char *handler, const char *rule, enum spin_hpus hpus,
			    uint32_t rounds);
void hammering__close(struct hammering *h);
/* Runs of the payload handler, by the packets' reasons. */
uint64_t hammering__runs(const struct hammering *h);
/* To be asked when no packet is under way. */
const char *hammering__check(const struct hammering *h);

/* Datagrams from NEAR_ADDR:port on to FAR_ADDR:to, each socket in turn, as fast as they go, until *stop. */
struct hammering_stream {
	pthread_t thread;
	uint16_t from, to;
	unsigned sockets;
	volatile int *stop;
	int fd[16];
	unsigned pause_us; /* after each 16 */
	uint64_t sent;
};
/* The thread is in the sender's namespace. */
const char *hammering__stream(struct hammering_stream *s);

#endif
