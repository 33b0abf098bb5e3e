/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_COMMON_MESSAGE_PACKET_H
#define TESTS_COMMON_MESSAGE_PACKET_H

/*
 * Packets of messages (SLMP, the message protocol over UDP) from 10.0.0.1 port 4000, for tests in tests/messages, tests/live and tests/unit
 * and for tests/bench/hpus.c. They have no UDP checksum, so they can be changed in place.
 */
#include <stdint.h>

#include "user/conformance/engine.h"

struct message_packet {
	uint32_t bytes; /* of the frame */
	uint32_t flags, id, offset;
	uint32_t payload_bytes;
	uint8_t *payload; /* points into the frame */
	uint8_t frame[2048];
};

/* Returns 0 or a negative errno. The payload is zeros. */
int message_packet_make(struct message_packet *p, uint32_t payload_bytes);
/* Sets the header of the message protocol; flags are SPIN_SLMP_*. */
void message_packet_head(struct message_packet *p, uint32_t flags, uint32_t id, uint32_t offset);
/* Returns NULL if verdict and frame match the reason, else what is wrong. */
const char *message_packet_check(const struct message_packet *p, const struct engine_out *out, enum spin_reason want);

#endif
