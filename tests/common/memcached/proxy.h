/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MEMCACHED_PROXY_H
#define TESTS_COMMON_MEMCACHED_PROXY_H

/* A cache in front of memcached that is wrong on purpose, to test that the check of coherence (checker.h) notices it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum mc_fault {
	MC_FAULT_NONE,
	MC_FAULT_STALE,   /* keeps answers for a while, whatever happens to the key */
	MC_FAULT_FOREIGN, /* sometimes answers with another key's value */
};

struct mc_proxy {
	const char *addr; /* of memcached */
	uint16_t port, own_port;
	enum mc_fault fault;
	/* private */
	int fd;
	atomic_int stop;
	pthread_t thread;
};

/* Listens on own_port of the loopback address, in the thread's namespace. */
void mc_proxy__start(struct mc_proxy *proxy);
void mc_proxy__stop(struct mc_proxy *proxy);

#endif
