/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Concurrency test of handlers/reduce.c, which sums the messages of a set. Completion handlers of a set's three messages and of two extra
 * ones run at the same time. Exactly one of them must notify the host, in each of 3000 sets. Run by tests/run.
 */
#include <pthread.h>
#include <stdio.h>

#include "tests/common/interleave.h"
#include "tests/common/net/slow.h"

enum { MESSAGES = 3, BEYOND = 2, HPUS = MESSAGES + BEYOND, SETS = 3000 };

static uint32_t notifications;

/* Replaces what the message that completes the set does. */
#undef SPIN_MERGE
#define SPIN_MERGE(c, sums, to) ((void)(c), (void)__atomic_fetch_add(&notifications, 1, __ATOMIC_RELAXED))
#undef spin_dma_to_host
#define spin_dma_to_host(c, space, offset, from, bytes) 0
#undef spin_host_write
#define spin_host_write(c, space, offset, from, bytes) (*(from) != MESSAGES)
#include "handlers/reduce.c"

static pthread_barrier_t begin, end;
static int failures;

static void *hpu(void *arg)
{
	struct spin_completion completion = { 0 };

	random_state = (uintptr_t)arg;
	for (unsigned i = 0; i < (unsigned)(SETS / slow_factor()); i++) {
		pthread_barrier_wait(&begin);
		if (reduce_completion(&completion, &spin_state) == SPIN_COMPLETION_SEGV)
			__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
		pthread_barrier_wait(&end);
	}
	return NULL;
}

int main(void)
{
	unsigned none = 0, several = 0, sets = (unsigned)(SETS / slow_factor());
	pthread_t thread[HPUS];

	spin_state.messages = MESSAGES;
	pthread_barrier_init(&begin, NULL, HPUS + 1);
	pthread_barrier_init(&end, NULL, HPUS + 1);
	for (uintptr_t i = 0; i < HPUS; i++)
		if (pthread_create(&thread[i], NULL, hpu, (void *)(i + 1))) {
			printf("FAIL: no thread\n");
			return 1;
		}
	for (unsigned i = 0; i < sets; i++) {
		spin_state.complete = 0;
		notifications = 0;
		pthread_barrier_wait(&begin);
		pthread_barrier_wait(&end);
		none += !notifications;
		several += notifications > 1;
		failures += spin_state.complete != HPUS || spin_state.sets != i + 1;
	}
	for (int i = 0; i < HPUS; i++)
		pthread_join(thread[i], NULL);
	if (!none && !several && !failures)
		return 0;
	printf("FAIL: of %u sets %u were not told and %u more than once; %d wrong counts\n", sets, none, several, failures);
	return 1;
}
