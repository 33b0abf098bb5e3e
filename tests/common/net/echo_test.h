/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_ECHO_TEST_H
#define TESTS_COMMON_ECHO_TEST_H

/*
 * Attached handlers that send packets, and clients that check every packet that comes back, for tests/stress/stress.c. pingpong forwards
 * each packet of a message to its source. fan_out puts two packets for each datagram and replies. The link may lose, duplicate and reorder
 * packets.
 */
#include <pthread.h>

#include <spin/libspin_message.h>

/* One packet back for each packet of a message; two puts and one reply for each datagram. */
enum echo_kind { ECHO_FORWARD, ECHO_PUT, ECHO_REPLY, ECHO_KINDS };

struct echo_test {
	struct spin_ctx *pings, *fans;
	int near_ns;
	volatile int *stop;
	pthread_t thread[2];
	/* each is written by one thread, and may be read when that has ended */
	uint64_t messages; /* messages with all packets acknowledged */
	uint64_t datagrams;
	uint64_t came[ECHO_KINDS];
	const char *volatile reason; /* the first error */
};

/* Attaches both to the interface in the thread's namespace. Returns a reason or NULL. */
const char *echo_test__open(struct echo_test *a, struct spin_nic *nic, enum spin_hpus hpus);
/* Starts clients in another namespace that send to FAR_ADDR until *stop is set or an error occurs. */
const char *echo_test__start(struct echo_test *a, int near_ns, volatile int *stop);
void echo_test__join(struct echo_test *a);
/* Returns the runs of both contexts' payload handlers. */
uint64_t echo_test__runs(const struct echo_test *a, int fans);
/* Call when the clients have ended and no packet is in flight. The reason is valid until the next call. */
const char *echo_test__check(struct echo_test *a);
void echo_test__close(struct echo_test *a);

#endif
