/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_BENCH_RING_H
#define TESTS_BENCH_RING_H

/*
 * Shared by the benchmark ring.c and ring.bpf.c, its sender: the headers, and the number of the next datagram or the message and offset of
 * the next packet.
 */
#include <stdint.h>

#define RING_HEADERS 56 /* Ethernet, IPv4, UDP, and 14 bytes of payload: a number, or SLMP's header */

struct ring_feed {
	uint64_t frame[RING_HEADERS / 8];
	uint64_t sequence;        /* of the next datagram, at RING_SEQUENCE_AT; host byte order */
	uint64_t received;        /* written by the receiver: datagrams below this number have arrived, or are lost */
	uint64_t window;          /* datagrams in flight; 0: no limit */
	uint32_t message_packets; /* 0: datagrams; otherwise SLMP messages of this many packets */
	uint32_t message_id, turn, stride;
};

#define RING_SEQUENCE_AT 46
#define RING_FLAGS_AT    42
#define RING_ID_AT       44
#define RING_OFFSET_AT   48

#endif
