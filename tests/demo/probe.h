/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_DEMO_PROBE_H
#define TESTS_DEMO_PROBE_H

/* Which of the server's ports gets a datagram: echo servers that say who they are. */
#include <stdint.h>
#include <sys/types.h>

#include "tests/common/net/netlab.h"

/* Starts an echo on each port; 0 ends the list. It listens when this returns. */
pid_t probe_echo(const struct lab *lab, const uint16_t *ports);

/*
 * Sends datagrams one by one and counts in answered[] those that ports[i]
 * answered with the same payload; returns how many nobody did.
 */
unsigned probe_send(const struct lab *lab, const char *from, uint16_t to_port, unsigned datagrams, const uint16_t *ports,
		    unsigned *answered);

#endif
