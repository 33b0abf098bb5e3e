/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_PACKETS_H
#define TESTS_COMMON_PACKETS_H

/*
 * Random packets, the same for the same seed: valid ones of every kind, and mutations of them. Most are UDP to port 9000, or ICMP or ICMPv6
 * on request. Used by tests/fuzz/fuzz_packets.c and fuzz_traffic.c.
 */
#include "user/conformance/types.h"

struct packets {
	uint64_t random;
	int kv;              /* payloads are requests to the key-value store */
	int ping;            /* ICMP messages are mostly echoes */
	unsigned icmp;       /* IP version of ICMP packets, 4 or 6; 0: UDP */
	unsigned ether_type; /* Ethernet type of frames that are not IP; 0: none */
};

void packets_start(struct packets *p, uint64_t seed, const char *handler);
/* Selects the protocol number (<spin/wire.h>) of all later packets. */
void packets_of_protocol(struct packets *p, unsigned protocol);
/* Writes a frame of 14 to 9,600 bytes and returns its length. The buffer must have ENGINE_FRAME_MAX bytes. */
uint32_t packets_next(struct packets *p, uint8_t *frame);
/* Fills tables that have keys with entries for half of the packets' source addresses. */
void packets_fill_tables(const struct types *t, struct image *image);

#endif
