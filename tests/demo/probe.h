/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_DEMO_PROBE_H
#define TESTS_DEMO_PROBE_H

/* Finds which of the server's ports receives a datagram, with echo servers that report their port. Used by demo_filtering.c. */
#include <stdint.h>
#include <sys/types.h>

#include "tests/common/net/netlab.h"

/* Starts an echo server on each port; 0 ends the list. They listen when this returns. */
pid_t probe_echo(const struct lab *lab, const uint16_t *ports);

/*
 * Sends datagrams one at a time and counts in answered[] those that ports[i] answered with the same payload. Returns the
 * number of unanswered ones.
 */
unsigned probe_send(const struct lab *lab, const char *from, uint16_t to_port, unsigned datagrams, const uint16_t *ports,
		    unsigned *answered);

#endif
