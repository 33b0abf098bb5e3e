/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_PUTTING_H
#define TESTS_COMMON_PUTTING_H

/*
 * A context whose handlers put messages (msg_fan): a small one for each packet, which nobody sends again, and one from host
 * memory for each message, which the library delivers; a context that takes them; and a client that has this done.
 */
#include <pthread.h>

#include <spin/libspin_message.h>

struct putting {
	struct spin_ctx *putter, *taker;
	int near_ns;
	volatile int *stop;
	pthread_t thread;
	/* written by the client */
	uint64_t messages;     /* that were acknowledged */
	uint64_t small, large; /* that came, by the taker's events */
	const char *volatile why;
};

/* The putter at an interface of this thread's namespace, the taker at NEAR_DEV of another one. A reason, or NULL. */
const char *putting__open(struct putting *p, struct spin_nic *nic, enum spin_hpus hpus, int near_ns);
/* Until *stop or something is wrong. */
const char *putting__start(struct putting *p, volatile int *stop);
void putting__join(struct putting *p);
/* Runs of the putter's payload handler. */
uint64_t putting__runs(const struct putting *p);
/* To be asked when the client has ended and no packet is under way. Valid until the next one. */
const char *putting__check(struct putting *p);
void putting__close(struct putting *p);

#endif
