/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_DEMO_REDIRECT_H
#define TESTS_DEMO_REDIRECT_H

/*
 * The sender's side of the filtering demo: attaches redirect.bpf.c, which changes the destination port of iperf3's datagrams to the
 * published one, and reads its counts. Called by demo_filtering.c. Failures end the demo.
 */
#include <stdint.h>

#include "tests/common/net/netlab.h"

struct redirect;

/* Attaches to the egress of the client's interface. The kernel detaches it with the interface. Ports are in host byte order. */
struct redirect *redirect_attach(const struct lab *lab, const char *object, uint16_t first_port, uint16_t ports, uint16_t published_port);
/* Returns the number of changed datagrams to port first_port + i. */
uint64_t redirect_count(const struct redirect *redirect, unsigned i);
void redirect_detach(struct redirect *redirect);

#endif
