/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MEMCACHED_LOAD_H
#define TESTS_COMMON_MEMCACHED_LOAD_H

/*
 * Load for memcached: GETs of many keys over UDP, in a closed loop, by threads with sockets of their own. Every answer is compared with the
 * key's value. Keys are numbers below a million. The calling thread is in the clients' namespace. Used by tests/bench/memcached.c and the
 * demo.
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
	unsigned threads, window; /* window: GETs in flight per thread */
	const uint32_t *key;      /* the keys to request, in turn */
	size_t keys;              /* a power of two */
	double warm_up_s, seconds;
	/* results of the measured time; lost and wrong: of the whole run */
	uint64_t answers, lost, wrong;
	double rate;
};

/* Stores keys first to first + count - 1, over TCP. */
void mc_load__store(const char *addr, uint16_t port, uint32_t first, uint32_t count);
void mc_load__run(struct mc_load *load);

/* Returns the median time from a GET to its answer, in ns. Sends one GET at a time, for keys first to first + count - 1. */
double mc_load__latency_ns(const char *addr, uint16_t port, uint32_t first, uint32_t count);

#endif
