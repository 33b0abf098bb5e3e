/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_BURST_H
#define TESTS_COMMON_BURST_H

/*
 * IPv4 datagrams in bursts, from a thread that waits until it has received as many as it has sent. So no queue overflows and none may be
 * lost. Failures of sockets end the test. Used by tests in tests/live and tests/transfer.
 */
#include <pthread.h>
#include <stdint.h>

#define BURST_DATAGRAMS 24 /* in flight; those of seven senders fit into one queue of 256 */
#define BURST_BYTES     32 /* per datagram */

struct burst {
	const char *address; /* the destination */
	uint16_t port;
	int to, from;     /* sockets; `from` has the address and port */
	uint64_t sent;    /* and received; valid when the thread has ended */
	const char *lost; /* why the thread has ended; NULL: it is running, or burst__stop() was called */
	pthread_t thread;
	int stop;
};

/* Opens a socket in the thread's namespace, on that address and port (0: any). Its receive timeout is long even for this machine. */
int burst__socket(const char *address, uint16_t port);
/* Returns that timeout in seconds. */
int burst__timeout_s(void);

/* Sends one datagram. Returns 0 or -1. */
int burst__send(int fd, const char *address, uint16_t port);
/* Receives one datagram. Returns 0, or -1 if none arrives. */
int burst__receive(int fd);

/* Starts the thread. The caller has set address, port, to and from. The struct must not move until burst__stop(). */
void burst__start(struct burst *burst);
/* Ends the thread after the current burst. */
void burst__stop(struct burst *burst);

#endif
