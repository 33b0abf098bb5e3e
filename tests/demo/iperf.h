/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_DEMO_IPERF_H
#define TESTS_DEMO_IPERF_H

/*
 * Runs iperf3 with a server and a client for each flow. Used by demo_filtering.c and demo_sockets.c. Clients and servers die with the demo.
 */
#include <stdint.h>

#include "tests/common/net/netlab.h"

#define IPERF_FLOWS_MAX 8

struct iperf_flow {
	uint16_t port;       /* the server's port */
	const char *from;    /* the client's address */
	char *const *before; /* NULL-terminated words before the server's command line; NULL: none */
	int server_fd;       /* receives the server's output; 0: discarded */
	/* results */
	double gbit_s;      /* received */
	double sent_gbit_s; /* of a TCP flow */
	/* of a UDP flow: sent, lost, and received by the server, which knows of no loss if it gets nothing at all */
	uint64_t packets, lost, received;
	/* private */
	pid_t server, client;
	int out_fd;
	uint64_t deadline_ns;
};

/* Starts all flows. mbit_s: rate of each UDP flow, 0 for TCP. datagram_bytes: UDP payload. */
void iperf_start(const struct lab *lab, struct iperf_flow *flow, unsigned flows, unsigned seconds, unsigned mbit_s,
		 unsigned datagram_bytes);
/* Waits for all flows to end and reads the results. */
void iperf_finish(struct iperf_flow *flow, unsigned flows);

#endif
