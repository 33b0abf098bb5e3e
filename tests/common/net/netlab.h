/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_NETLAB_H
#define TESTS_COMMON_NETLAB_H

/*
 * Two network namespaces joined by a veth pair, for the demo and for benchmarks (hits, slmp, memcached). They have no name and no mount.
 * Only this process and its children hold them, so they cannot outlive it.
 */
#include <net/if.h>
#include <sys/types.h>

#define LAB_SERVER_ADDR "10.77.0.1"
#define LAB_CLIENT_ADDR "10.77.0.2"

struct lab_side {
	int ns_fd;
	int cpu; /* CPU of its processes and its NAPI thread */
	char ifname[IF_NAMESIZE];
};

struct lab {
	struct lab_side server, client;
};

/*
 * Sets addresses, static neighbours, GRO (so that NAPI runs with and without XDP, and XDP_TX is delivered), and threaded NAPI
 * on both sides. Afterwards the caller is in the client's namespace, with a mount namespace of its own. A process may have several labs.
 */
void lab_open(struct lab *lab);

/* Moves the caller to a side's network namespace. */
void lab_enter(const struct lab_side *side);

/* Adds an address to the client. */
void lab_add_address(const struct lab *lab, const char *addr);

/* Sets TCP and UDP segmentation offload on both sides. If off, each datagram passes NAPI separately. */
void lab_set_segmentation(const struct lab *lab, int on);

/* Returns the kernel thread that runs a side's NAPI, pinned to its CPU; 0 if kernel threads are not visible. */
pid_t lab_napi_thread(const struct lab_side *side);

#endif
