/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MEMCACHED_PROXY_H
#define TESTS_COMMON_MEMCACHED_PROXY_H

/*
 * A deliberately wrong cache in front of memcached, started by tests/sockets/memcached_is_coherent.c to test that the coherence check
 * (checker.h) notices it.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum mc_fault {
	MC_FAULT_NONE,
	MC_FAULT_STALE,   /* keeps answers for a while, even if the key changes */
	MC_FAULT_FOREIGN, /* sometimes answers with another key's value */
};

struct mc_proxy {
	const char *addr; /* memcached's */
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
