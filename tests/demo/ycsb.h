/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_DEMO_YCSB_H
#define TESTS_DEMO_YCSB_H

/*
 * A YCSB client: half GETs, half SETs, Zipf keys, a closed loop with a window of requests in flight. Every value contains its key and
 * version, and every read is checked: it must have been written to that key, and not be older than the last SET that was acknowledged when
 * the GET was sent.
 *
 * A request that times out is given up and sent again with a new id, a SET also with a new version. Client and server are connected by a
 * single path of queues, so requests arrive in order. Therefore the server's last version of a key is never older than an acknowledged one.
 * Started by demo_kvstore.c.
 */
#include <stdint.h>
#include <sys/types.h>

#define YCSB_WINDOW_MAX 256

struct ycsb {
	const char *addr;
	uint16_t port;
	uint32_t keys;
	double theta;
	uint32_t window;
	double warm_up_s, measure_s;
	uint64_t seed;
	/* receiver: read at the start and the end of the measured time */
	pid_t server, server_napi;
	const volatile uint64_t *server_requests;
	struct ycsb_result *result; /* in memory shared with the demo */
};

/* Values of the measured time, except timeouts and wrong values: those of the whole run. */
struct ycsb_result {
	double seconds;
	uint64_t requests, gets; /* answered */
	uint64_t reached_server;
	uint64_t server_ns, server_napi_ns; /* CPU time */
	uint64_t timeouts, wrong;
	uint64_t checked; /* values read and checked in the whole run */
	uint64_t sent;    /* requests in the whole run */
	char first_wrong[160];
};

/* arg: struct ycsb. Returns 0; dies with a message on errors. */
int ycsb__run(void *arg);

#endif
