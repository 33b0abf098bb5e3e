/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_SEGMENTS_ECHO_H
#define TESTS_SEGMENTS_ECHO_H

/*
 * An application of TCP between two namespaces (tests/common/net/pair.h, lossy.h): the server at FAR_ADDR sends back what it reads, with
 * each bit inverted, and clients check that. Failures end the test with die() of tests/common/proc.h. Used by live_connections.c and
 * handlers_change_under_load.c.
 */
#include <pthread.h>
#include <stdint.h>

struct echo {
	int near_ns, far_ns;
	uint16_t port;
	unsigned wait_seconds; /* limit of each call of a socket */
	int listener;
	pthread_t server;
};

/* Starts the server. The thread is then in the near namespace. */
void echo__start(struct echo *e);
void echo__stop(struct echo *e);

/* Returns a connected socket of this thread's namespace, which must be the near one; its own port is stored. */
int echo__connect(const struct echo *e, uint16_t *port);
/* Sends this many random bytes, in parts of random length, and checks what comes back. */
void echo__exchange(int fd, uint64_t *random, uint32_t bytes);
/* Closes this side first, and waits for the other one. */
void echo__finish(int fd);

#endif
