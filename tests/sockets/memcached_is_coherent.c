/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that memcached never gives a stale answer, whatever changes a key: alone, and with handlers on its sockets that answer GETs. The
 * check itself is tested first, with a cache in front of memcached that is wrong on purpose. Run by tests/run.
 *
 *	memcached_is_coherent [SECONDS [SEED]]    (seconds of each check, more on a slow machine; default: 10)
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <memcached.h>

#include "tests/common/memcached/checker.h"
#include "tests/common/memcached/proxy.h"
#include "tests/common/memcached/server.h"
#include "tests/common/net/netns.h"
#include "tests/common/net/slow.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"

#define PROXY_PORT 11300

static struct udp_hosts hosts;
static double seconds = 10;
static uint64_t seed = 1;
static int failed;

static struct mc_check default_check(double check_seconds)
{
	return (struct mc_check){ .addr = "10.9.0.1",
				  .addr6 = "fd09::1",
				  .port = MC_PORT,
				  .seconds = check_seconds * slow_factor(),
				  .keys = 16,
				  .short_lived_keys = 4,
				  .writers = 3,
				  .readers = 3,
				  .pause_us = 20000,
				  .flush_ms = 400,
				  .seed = seed };
}

static void report(const struct mc_check *check, int is_bad, const char *what)
{
	mc_check__print(check);
	if (!is_bad) {
		printf("ok: %s\n", what);
		return;
	}
	printf("FAIL: %s\n", what);
	failed = 1;
}

static int is_wrong(const struct mc_check *check)
{
	return mc_check__stale(check) || check->wrong || check->first_bad[0] || check->lost > 2 || check->verdict[MC_RIGHT] < 1000 ||
	       check->unanswered > check->gets / 1000;
}

/* The check must find the faults of a wrong cache. */
static void check_the_check(void)
{
	static const char *const name[] = { "no fault is found where there is none", "kept answers are found", "foreign values are found" };

	for (enum mc_fault fault = MC_FAULT_NONE; fault <= MC_FAULT_FOREIGN; fault++) {
		struct mc_proxy proxy = { .addr = "10.9.0.1", .port = MC_PORT, .own_port = PROXY_PORT, .fault = fault };
		struct mc_check check = default_check(fault == MC_FAULT_STALE ? 5 : 1.5);
		int bad;

		check.get_addr = "127.0.0.1";
		check.get_port = PROXY_PORT;
		check.flush_ms = fault == MC_FAULT_STALE ? 0 : check.flush_ms; /* otherwise a flush would remove keys before they expire */
		check.pause_us = 5000;
		mc_proxy__start(&proxy);
		mc_check__run(&check);
		mc_proxy__stop(&proxy);
		if (fault == MC_FAULT_NONE)
			bad = is_wrong(&check);
		else if (fault == MC_FAULT_STALE)
			bad = !check.verdict[MC_OLDER] || !check.verdict[MC_DELETED] || !check.verdict[MC_EXPIRED] || check.wrong;
		else
			bad = !check.verdict[MC_NEVER_WRITTEN] || check.wrong;
		report(&check, bad, name[fault]);
	}
}

/* Answers are cached between changes, and the more the fewer changes there are. */
static void check_server(struct mc_server *server, int calm, const char *what)
{
	uint32_t hits = mc_server__hits(server);
	uint64_t gets = mc_client__stat("10.9.0.1", MC_PORT, "cmd_get");
	struct mc_check check = default_check(seconds);

	if (calm) {
		check.pause_us = 1000000 * (unsigned)slow_factor();
		check.flush_ms = 6000 * (unsigned)slow_factor(); /* a key is cached only some time after its last change */
	}
	mc_check__run(&check);
	hits = mc_server__hits(server) - hits;
	gets = mc_client__stat("10.9.0.1", MC_PORT, "cmd_get") - gets;
	if (server->with)
		printf("handlers: %u answers, %u misses, %u changes, %u commands not understood, %u datagrams dropped; memcached: %llu GETs\n",
		       hits, server->cache->misses, server->cache->mutations, server->cache->strange, server->cache->dropped,
		       (unsigned long long)gets);
	for (int i = 0; i < MC_OPS; i++)
		if (!calm && !check.changes[i]) {
			printf("FAIL: no %s\n", mc_op_name[i]);
			failed = 1;
		}
	report(&check, is_wrong(&check) || (calm && server->with && !hits), what);
}

int main(int argc, char **argv)
{
	struct mc_server server = { .cpu = -1, .threads = 4 };

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (mc_server__missing()) {
		printf("skip: %s\n", mc_server__missing());
		return 77;
	}
	if (argc > 1)
		seconds = atof(argv[1]);
	if (argc > 2)
		seed = strtoull(argv[2], NULL, 10);
	proc_init();
	proc_wait_long();
	udp_hosts__hosts(&hosts);
	netns_enter(hosts.client_ns);
	server.ns = hosts.server_ns;
	mc_server__start(&server);
	check_the_check();
	check_server(&server, 0, "memcached alone");
	mc_server__stop(&server);
	if (mc_server__missing_handlers()) {
		printf("skip: %s\n", mc_server__missing_handlers());
		return failed ? 1 : 77;
	}
	server.with = 1;
	mc_server__start(&server);
	check_server(&server, 0, "memcached with handlers, busy");
	check_server(&server, 1, "memcached with handlers, calm");
	mc_server__stop(&server);
	return failed;
}
