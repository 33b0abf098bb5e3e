/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MESSAGES_COLLIDING_H
#define TESTS_MESSAGES_COLLIDING_H

/*
 * Packets of one source, and ids of messages whose searches in the flow table (finds the message of a packet by a hash) all begin at one
 * slot. Included by evicted_tombstones_are_kept.c, senders_cannot_aim.c and other tests of this directory, after the message engine as
 * plain C (bpf/context.host.c).
 */
#include <string.h>

#include "tests/reference/frame.h"

#define COLLIDING_BYTES 4u /* payload of each packet */

static const struct frame_flow colliding_flow = { 4, { 10, 0, 0, 1 }, { 10, 0, 0, 2 }, 4660, SPIN_SLMP_PORT };

/* Runs a packet and returns its reason. `answer`, if not NULL, becomes the flags of its answer; 0: it has none. */
static inline int colliding_packet(uint32_t flags, uint32_t id, uint32_t offset, uint32_t *answer)
{
	uint8_t frame[FRAME_HEADERS_MAX + sizeof(struct spin_slmp) + COLLIDING_BYTES] = { 0 };
	struct spin_slmp slmp = { spin_hton16(SPIN_SLMP_SYN | flags), spin_hton32(id), spin_hton32(offset) };
	uint32_t bytes, verdict;
	int reason;

	memcpy(frame_payload(frame, 4), &slmp, sizeof(slmp));
	bytes = frame_finish(frame, &colliding_flow, sizeof(slmp) + COLLIDING_BYTES, FRAME_SUM_NONE);
	reason = spin_host_packet(frame, &bytes, &verdict);
	memcpy(&slmp, frame_payload(frame, 4), sizeof(slmp));
	if (answer)
		*answer = verdict == SPIN_VERDICT_TX ? spin_ntoh16(slmp.flags) : 0;
	return reason;
}

/* Returns the key of a message of that source, as the engine computes it. */
static inline struct spin_key colliding_key(uint32_t id)
{
	const struct spin_ip4 ip = { .src = spin_hton32(0x0a000001) };
	struct spin_udp udp = { .src_port = spin_hton16(colliding_flow.src_port) };
	const struct spin_datagram d = { .ip = (void *)&ip, .udp = &udp, .is_ip4 = 1 };
	const struct spin_view view = { 0 };
	struct spin_key key;

	spin_key_of(&view, &d, id, &key);
	return key;
}

/* Finds `count` ids of messages with the same home slot. */
static inline void colliding_ids(uint32_t *id, unsigned count)
{
	uint32_t next = 1;

	id[0] = 0;
	for (unsigned i = 1; i < count; next++)
		if (colliding_key(next).home == colliding_key(id[0]).home)
			id[i++] = next;
}

/* Sets what every test with these packets needs; `memory` has the context's host memory and SPIN_HOST_SLACK more. */
static inline void colliding_configure(uint8_t *memory, uint32_t bytes, uint32_t mpqs, uint32_t ticks)
{
	spin_host_memory_at = memory;
	spin_config.host_bytes = bytes;
	spin_config.mpqs = mpqs;
	spin_config.parking = SPIN_PARKING_MAX;
	spin_config.window = SPIN_WINDOW;
	spin_config.idle_ticks = spin_config.tombstone_ticks = ticks;
	spin_config.virtual_clock = 1;
	spin_host_reset();
}

#endif
