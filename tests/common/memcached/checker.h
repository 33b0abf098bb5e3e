/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MEMCACHED_CHECKER_H
#define TESTS_COMMON_MEMCACHED_CHECKER_H

/*
 * Looks for stale answers: threads change a few keys with every command of memcached, over TCP and UDP, in all forms, while other threads
 * GET the same keys over UDP and check each answer against the key's possible values (register.h). The calling thread is in the clients'
 * namespace. Called by tests/sockets/memcached_is_coherent.c and the demo.
 */
#include <stdint.h>

#include "tests/common/memcached/commands.h"
#include "tests/common/memcached/register.h"

#define MC_CHECK_KEYS_MAX 64u

struct mc_check {
	const char *addr, *addr6; /* memcached's; addr6 NULL: IPv4 only */
	uint16_t port;
	const char *get_addr; /* the destination of GETs; NULL: addr, addr6 and port */
	uint16_t get_port;
	double seconds;
	unsigned keys;             /* that change all the time */
	unsigned short_lived_keys; /* that expire while nothing else happens to them */
	unsigned writers, readers; /* threads */
	unsigned pause_us;         /* longest pause of a writer between two changes, so that answers can be cached */
	unsigned flush_ms;         /* approximate time between two flushes; 0: no flush */
	uint64_t seed;
	/* results */
	uint64_t changes[MC_OPS], flushes, quiet, cut,
		piped;             /* numbers of commands; quiet: without an answer, cut: sent in pieces, piped: several at a time */
	uint64_t gets, unanswered; /* keys requested; unanswered: datagrams */
	uint64_t verdict[MC_VERDICTS];
	uint64_t wrong;      /* answers to changes that memcached should not have given */
	unsigned lost;       /* keys whose change over UDP got no answer */
	char first_bad[300]; /* the first wrong verdict or answer */
};

void mc_check__run(struct mc_check *check);

uint64_t mc_check__changes(const struct mc_check *check);
/* Returns the number of GETs with an impossible answer. */
uint64_t mc_check__stale(const struct mc_check *check);
void mc_check__print(const struct mc_check *check);

#endif
