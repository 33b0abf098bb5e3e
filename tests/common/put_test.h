/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_PUT_TEST_H
#define TESTS_COMMON_PUT_TEST_H

/*
 * A context whose handlers (msg_fan) put messages, that is, send them into the memory of another context; for tests/stress/stress.c. For
 * each packet they put a small message, which is not retransmitted if lost. For each message they put a large one from host memory, which
 * libspin delivers. A second context takes the puts, and a client triggers them.
 */
#include <pthread.h>

#include <spin/libspin_message.h>

struct put_test {
	struct spin_ctx *putter, *taker;
	int near_ns;
	volatile int *stop;
	pthread_t thread;
	/* written by the client */
	uint64_t messages;     /* acknowledged messages */
	uint64_t small, large; /* puts that arrived, by the taker's events */
	const char *volatile reason;
};

/* Opens the putter on an interface of this thread's namespace, and the taker on NEAR_DEV of another one. Returns a reason or NULL. */
const char *put_test__open(struct put_test *p, struct spin_nic *nic, enum spin_hpus hpus, int near_ns);
/* Starts a thread that runs the client until *stop is set or an error occurs. Returns a reason or NULL. */
const char *put_test__start(struct put_test *p, volatile int *stop);
void put_test__join(struct put_test *p);
/* Returns the runs of the putter's payload handler. */
uint64_t put_test__runs(const struct put_test *p);
/* Must be called when the client has ended and no packet is in flight. The reason is valid until the next call. */
const char *put_test__check(struct put_test *p);
void put_test__close(struct put_test *p);

#endif
