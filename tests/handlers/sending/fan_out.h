/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_FAN_OUT_H
#define TESTS_HANDLERS_FAN_OUT_H

/* State of fan_out and msg_fan, written by the test. */
#define FAN_OUT_TARGETS 4 /* a power of two */

enum { FAN_OUT_DROP, FAN_OUT_REPLY, FAN_OUT_PASS };

struct fan_out {
	spin_be32 target[FAN_OUT_TARGETS]; /* word 0 is 0: back to the source, else an IPv4 address each */
	uint32_t count, bytes;             /* packets for each that comes, and of what payload */
	uint32_t answer;
	uint32_t host_bytes; /* msg_fan: put from host memory when a message ends; 0: nothing is */
	spin_be16 port;      /* msg_fan: of the targets */
	uint16_t unused;
};

#endif
