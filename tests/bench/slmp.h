/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_BENCH_SLMP_H
#define TESTS_BENCH_SLMP_H

/*
 * Shared by the benchmark slmp.c and slmp.bpf.c, its sender: the packets of a message (SLMP, the message protocol over UDP), and counts of
 * what was sent and acknowledged.
 */
#include <stdint.h>

#define SLMP_HEADERS 52 /* Ethernet, IPv4, UDP, SLMP */
#define SLMP_PAYLOAD 1440u
#define SLMP_BYTES   (SLMP_HEADERS + SLMP_PAYLOAD)
/*
 * Longer than the sent packet. Acknowledgements are shorter, and a returned live frame gets its length back only if the
 * sending program changes the length too.
 */
#define SLMP_FRAME   (SLMP_BYTES + 8)
#define SLMP_PACKETS 700u /* of a message: about 1 MB */
#define SLMP_MESSAGE (SLMP_PACKETS * SLMP_PAYLOAD)

struct sending {
	uint64_t frame[SLMP_HEADERS / 8]; /* headers of a packet with flags, id and offset 0 */
	uint32_t checksum;                /* of that packet */
	uint32_t window;                  /* most packets in flight */
	uint32_t sent, ended;             /* packets; those acknowledged or given up */
	uint32_t stalled;                 /* frames not sent since the last acknowledgement */
	uint32_t id, packet;              /* next to be sent */
	uint32_t unused;
	uint64_t acknowledged, bad, given_up;
};

#endif
