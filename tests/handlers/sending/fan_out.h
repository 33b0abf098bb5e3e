/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_FAN_OUT_H
#define TESTS_HANDLERS_FAN_OUT_H

/* State of the handlers fan_out.c and msg_fan.c, which send several packets for each that arrives; written by the test. */
#define FAN_OUT_TARGETS 4 /* power of two */

enum { FAN_OUT_DROP, FAN_OUT_REPLY, FAN_OUT_PASS };

struct fan_out {
	spin_be32 target[FAN_OUT_TARGETS]; /* word 0 is 0: send back to the source; otherwise IPv4 addresses */
	uint32_t count, bytes;             /* packets per received packet, and payload bytes of each */
	uint32_t answer;
	uint32_t host_bytes; /* msg_fan: bytes put from host memory when a message ends; 0: none */
	spin_be16 port;      /* msg_fan: port of the targets */
	uint16_t unused;
};

#endif
