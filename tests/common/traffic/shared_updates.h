/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_SHARED_UPDATES_H
#define TESTS_COMMON_SHARED_UPDATES_H

/*
 * The host side of tests/handlers/messages/hammer.c and hammer_message.c: their contexts, senders, and the check that each shared variable
 * has counted each run once. Functions that return a reason return NULL on success; a reason is valid until the next failure. Used by tests
 * in tests/live, by tests/stress and tests/bench/hpus.c.
 */
#include <pthread.h>

#include <spin/libspin_message.h>
#include "tests/handlers/messages/hammer.h"

struct shared_updates {
	struct spin_ctx *ctx;
	struct hammer_state *state;
	char name[16];
	enum spin_hpus hpus;
	uint32_t hpu_count; /* requested number; the caller sets it before opening; 0: all */
};

/*
 * Opens and attaches a context. *h must be zero except for hpu_count. nic offline: for PROG_TEST_RUN. `rounds` sets how long a
 * run takes.
 */
const char *shared_updates__open(struct shared_updates *h, struct spin_nic *nic, const char *handler, const char *rule, enum spin_hpus hpus,
				 uint32_t rounds);
void shared_updates__close(struct shared_updates *h);
/* Returns the runs of the payload handler, from the packets' reasons. */
uint64_t shared_updates__runs(const struct shared_updates *h);
/* Must be called when no packet is in flight. */
const char *shared_updates__check(const struct shared_updates *h);

/* Sends datagrams from NEAR_ADDR, ports from `port` on, to FAR_ADDR:to. Sockets take turns, at full speed, until *stop. */
struct hammering_stream {
	pthread_t thread;
	uint16_t from, to;
	unsigned sockets;
	volatile int *stop;
	int fd[16];
	unsigned pause_us; /* after every 16 datagrams */
	uint64_t sent;
};
/* The calling thread must be in the sender's namespace. */
const char *shared_updates__stream(struct hammering_stream *s);

#endif
