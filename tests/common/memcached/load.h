/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MEMCACHED_LOAD_H
#define TESTS_COMMON_MEMCACHED_LOAD_H

/*
 * GETs of many keys over UDP, in a closed loop, by threads with sockets of their own. Every answer is compared with the key's value. Keys have
 * numbers below a million. The thread that calls is in the clients' namespace.
 */
#include <stddef.h>
#include <stdint.h>

#define MC_LOAD_KEY          "key-%06u"
#define MC_LOAD_VALUE        MC_LOAD_KEY "abcdefghijklmnopqrstuv" /* 32 bytes */
#define MC_LOAD_GET          "get " MC_LOAD_KEY "\r\n"
#define MC_LOAD_ANSWER       "VALUE " MC_LOAD_KEY " 0 32\r\n" MC_LOAD_VALUE "\r\nEND\r\n"
#define MC_LOAD_GET_BYTES    16u
#define MC_LOAD_ANSWER_BYTES 62u

struct mc_load {
	const char *addr;
	uint16_t port;
	unsigned threads, window; /* of each thread: GETs in flight */
	const uint32_t *key;      /* what is asked for, in turn */
	size_t keys;              /* a power of two */
	double warm_up_s, seconds;
	/* results, of the measured time; of the whole run if they are of failures */
	uint64_t answers, lost, wrong;
	double rate;
};

/* Stores keys first to first + count - 1, over TCP. */
void mc_load__store(const char *addr, uint16_t port, uint32_t first, uint32_t count);
void mc_load__run(struct mc_load *load);

/* Median of the time from a GET to its answer, in ns, one at a time: keys first to first + count - 1. */
double mc_load__latency_ns(const char *addr, uint16_t port, uint32_t first, uint32_t count);

#endif
