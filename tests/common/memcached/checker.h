/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MEMCACHED_CHECKER_H
#define TESTS_COMMON_MEMCACHED_CHECKER_H

/*
 * Looks for stale answers: threads change a few keys with every command of memcached, over TCP and UDP, in all forms, while others GET the
 * same keys over UDP and hold each answer against what the key was (register.h). The thread that calls is in the clients' namespace.
 */
#include <stdint.h>

#include "tests/common/memcached/commands.h"
#include "tests/common/memcached/register.h"

#define MC_CHECK_KEYS_MAX 64u

struct mc_check {
	const char *addr, *addr6; /* of memcached; addr6 NULL: IPv4 alone */
	uint16_t port;
	const char *get_addr; /* where GETs go; NULL: addr, addr6 and port */
	uint16_t get_port;
	double seconds;
	unsigned keys;             /* that are changed all the time */
	unsigned short_lived_keys; /* that expire while nothing else happens to them */
	unsigned writers, readers; /* threads */
	unsigned pause_us;         /* of a writer between two changes, at most: answers are to be cached in the meantime */
	unsigned flush_ms;         /* between two flushes, about; 0: no flush */
	uint64_t seed;
	/* results */
	uint64_t changes[MC_OPS], flushes, quiet, cut,
		piped;             /* commands; of these without an answer, sent in pieces, and several at a time */
	uint64_t gets, unanswered; /* keys that were asked for; datagrams */
	uint64_t verdict[MC_VERDICTS];
	uint64_t wrong;      /* answers to changes that memcached should not have given */
	unsigned lost;       /* keys whose change over UDP had no answer */
	char first_bad[300]; /* of wrong verdicts and answers */
};

void mc_check__run(struct mc_check *check);

uint64_t mc_check__changes(const struct mc_check *check);
/* GETs whose answer is not possible. */
uint64_t mc_check__stale(const struct mc_check *check);
void mc_check__print(const struct mc_check *check);

#endif
