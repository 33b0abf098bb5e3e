/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_ACT_PUT_H
#define TESTS_HANDLERS_ACT_PUT_H

/*
 * Requests to the handlers in this directory that send, for tests/vectors/actions: each packet's payload starts with struct act_put_ask,
 * little-endian except for address and port, which are in network byte order. Each handler has only one or two of the calls, because the
 * verifier verifies the construction of a packet at each call.
 */
#include <stdint.h>

enum act_put_when { ACT_IN_PAYLOAD, ACT_IN_HEADER, ACT_IN_COMPLETION };

struct act_put_ask {
	uint8_t when, op; /* for handlers that support several */
	uint8_t count;    /* number of packets, for handlers that can repeat */
	uint8_t rc;       /* returned if all were sent */
	uint32_t off, bytes;
	uint32_t match;   /* match_bits. If not 0, hdr_data is this + 1 in both halves, and remote_offset this + 2 in the upper half */
	uint32_t addr[4]; /* of the target */
	uint16_t port;
	uint16_t ip_version; /* 0: the target is the packet's source */
};

#ifdef SPIN_SPIN_H
/* `v` is the argument of any handler. */
#define ACT_TARGET(v, ask)                                      \
	({                                                      \
		struct spin_process act_to_ = spin_source(v);   \
		if ((ask)->ip_version) {                        \
			act_to_.addr[0] = (ask)->addr[0];       \
			act_to_.addr[1] = (ask)->addr[1];       \
			act_to_.addr[2] = (ask)->addr[2];       \
			act_to_.addr[3] = (ask)->addr[3];       \
			act_to_.port = (ask)->port;             \
			act_to_.ip_version = (ask)->ip_version; \
		}                                               \
		act_to_;                                        \
	})

#define ACT_PUT(v, ask)                                                                                             \
	((struct spin_put){ .target = ACT_TARGET(v, ask),                                                           \
			    .match_bits = (ask)->match,                                                             \
			    .hdr_data = (ask)->match ? (uint64_t)((ask)->match + 1) << 32 | ((ask)->match + 1) : 0, \
			    .remote_offset = (ask)->match ? (uint64_t)((ask)->match + 2) << 32 : 0 })
#endif

#endif
