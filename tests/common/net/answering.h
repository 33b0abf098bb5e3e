/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_ANSWERING_H
#define TESTS_COMMON_ANSWERING_H

/*
 * Contexts whose handlers send, and clients that look at all that comes back: pingpong forwards each packet of a message
 * to where it came from, fan_out puts two packets for each datagram and replies. The way may lose, double and reorder.
 */
#include <pthread.h>

#include <spin/libspin_message.h>

/* 1 back for each packet of a message; 2 puts and 1 reply for each datagram. */
enum answering_kind { ANSWERING_FORWARD, ANSWERING_PUT, ANSWERING_REPLY, ANSWERING_KINDS };

struct answering {
	struct spin_ctx *pings, *fans;
	int near_ns;
	volatile int *stop;
	pthread_t thread[2];
	/* written by one thread each, read when they have ended */
	uint64_t messages; /* all of whose packets were acknowledged */
	uint64_t datagrams;
	uint64_t came[ANSWERING_KINDS];
	const char *volatile why; /* what is wrong */
};

/* Attaches both to the interface, whose namespace the thread is in. A reason, or NULL. */
const char *answering__open(struct answering *a, struct spin_nic *nic, enum spin_hpus hpus);
/* Clients in another namespace, to FAR_ADDR, until *stop or something is wrong. */
const char *answering__start(struct answering *a, int near_ns, volatile int *stop);
void answering__join(struct answering *a);
/* Runs of both contexts' payload handlers. */
uint64_t answering__runs(const struct answering *a, int fans);
/* To be asked when the clients have ended and no packet is under way. Valid until the next one. */
const char *answering__check(struct answering *a);
void answering__close(struct answering *a);

#endif
