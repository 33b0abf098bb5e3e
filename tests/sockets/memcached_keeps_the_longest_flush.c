/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Concurrency test of handlers/memcached.c, which keeps its cache off while a flush_all with a delay is pending. Three HPUs (CPUs that run
 * handlers) get one each at the same time: the cache must stay off for the longest of the delays, and every flush be counted. Run by
 * tests/run.
 */
#include <pthread.h>
#include <stdio.h>

#include "tests/common/interleave.h"
#include "tests/common/net/slow.h"

/* Time stands still, and what is about connections is not called. */
#define spin_clock_coarse_ns_()          UINT64_C(0)
#define spin_connections_missed_(packet) ((void)(packet), 0u)
#include "handlers/memcached.c"

enum { HPUS = 3, ROUNDS = 3000 };

static pthread_barrier_t begin, end;
static uint32_t delay_s[HPUS];

static void *hpu(void *arg)
{
	const unsigned me = (unsigned)(uintptr_t)arg;

	random_state = me + 1;
	for (unsigned i = 0; i < (unsigned)(ROUNDS / slow_factor()); i++) {
		struct mc_parser parser = { .state = MC_LINE_ENDS, .command = MC_FLUSH };

		pthread_barrier_wait(&begin);
		parser.left = delay_s[me];
		while (mc_ends(&spin_state, &parser))
			;
		pthread_barrier_wait(&end);
	}
	return NULL;
}

int main(void)
{
	unsigned rounds = (unsigned)(ROUNDS / slow_factor()), short_until = 0, short_delay = 0;
	pthread_t thread[HPUS];

	random_state = HPUS + 1;
	pthread_barrier_init(&begin, NULL, HPUS + 1);
	pthread_barrier_init(&end, NULL, HPUS + 1);
	for (uintptr_t i = 0; i < HPUS; i++)
		if (pthread_create(&thread[i], NULL, hpu, (void *)i)) {
			printf("FAIL: no thread\n");
			return 1;
		}
	for (unsigned i = 0; i < rounds; i++) {
		uint32_t longest = 0;

		for (unsigned k = 0; k < HPUS; k++) {
			delay_s[k] = 1 + random32() % 100;
			longest = delay_s[k] > longest ? delay_s[k] : longest;
		}
		spin_state.off_until = spin_state.flush_delay_s = 0;
		pthread_barrier_wait(&begin);
		pthread_barrier_wait(&end);
		short_until += spin_state.off_until != longest + 3;
		short_delay += spin_state.flush_delay_s != longest;
	}
	for (unsigned i = 0; i < HPUS; i++)
		pthread_join(thread[i], NULL);
	printf("%u rounds: the cache was on too early after %u, the longest delay was another one after %u, %u of %u flushes were seen\n",
	       rounds, short_until, short_delay, spin_state.epoch, HPUS * rounds);
	return short_until || short_delay || spin_state.epoch != HPUS * rounds;
}
