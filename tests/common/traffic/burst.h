/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_BURST_H
#define TESTS_COMMON_BURST_H

/*
 * Datagrams over IPv4 in bursts, from a thread of its own that waits for as many as it has sent, so that no queue overflows and none may be
 * lost. Failures of sockets end the test.
 */
#include <pthread.h>
#include <stdint.h>

#define BURST_DATAGRAMS 24 /* in flight; seven senders' fit into one queue of 256 */
#define BURST_BYTES     32 /* of each */

struct burst {
	const char *address; /* where they go */
	uint16_t port;
	int to, from;     /* sockets: theirs, and the one that has the address and port */
	uint64_t sent;    /* and received, when the thread has ended */
	const char *lost; /* why it has ended; NULL: it has not, or burst__stop() was called */
	pthread_t thread;
	int stop;
};

/* A socket in the thread's namespace, on that address and port, 0: any. What it waits for comes within a time that is long on this machine. */
int burst__socket(const char *address, uint16_t port);
/* How long that is. */
int burst__patience_s(void);

/* Sends one datagram. 0, or -1. */
int burst__send(int fd, const char *address, uint16_t port);
/* Receives one. 0, or -1: none came. */
int burst__receive(int fd);

/* All but address, port, to and from is set here. The struct stays where it is until burst__stop(). */
void burst__start(struct burst *burst);
/* Ends the thread after the burst at hand. */
void burst__stop(struct burst *burst);

#endif
