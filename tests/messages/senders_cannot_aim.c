/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The flow table finds the message that a packet belongs to, by a hash with a secret key. A sender must not be able to fill one part of it.
 * It chooses the ids of more messages than a search probes, such that all searches begin at one slot. If the table uses the key that the
 * sender assumed, the last message finds no free slot; with any other key the messages are spread, and all are accepted. Run by tests/run.
 */
#define SPIN_HANDLER_FILE "tests/handlers/messages/msg_default.c"
#include "bpf/context.host.c"

#include <stdio.h>
#include <string.h>

#include "tests/reference/frame.h"

#define COLLIDING (SPIN_FLOW_PROBES + 1)

static const struct frame_flow flow = { 4, { 10, 0, 0, 1 }, { 10, 0, 0, 2 }, 4660, SPIN_SLMP_PORT };

/* Runs the first packet of a message with more packets; returns its reason. */
static int packet(uint32_t id)
{
	uint8_t frame[FRAME_HEADERS_MAX + sizeof(struct spin_slmp) + 4] = { 0 };
	const struct spin_slmp slmp = { spin_hton16(SPIN_SLMP_SYN), spin_hton32(id), 0 };
	uint32_t bytes, verdict;

	memcpy(frame_payload(frame, 4), &slmp, sizeof(slmp));
	bytes = frame_finish(frame, &flow, sizeof(slmp) + 4, FRAME_SUM_NONE);
	return spin_host_packet(frame, &bytes, &verdict);
}

/* The slot where the search for the message begins, computed as spin_key_of() does for packet()'s source. */
static uint64_t home_slot(uint32_t id)
{
	const struct spin_ip4 ip = { .src = spin_hton32(0x0a000001) };
	struct spin_udp udp = { .src_port = spin_hton16(flow.src_port) };
	const struct spin_datagram d = { .ip = (void *)&ip, .udp = &udp, .is_ip4 = 1 };
	const struct spin_view view = { 0 };
	struct spin_key key;

	spin_key_of(&view, &d, id, &key);
	return key.home;
}

static unsigned count_accepted(const uint32_t *id)
{
	unsigned count = 0;

	spin_host_reset();
	for (unsigned i = 0; i < COLLIDING; i++)
		count += packet(id[i]) == SPIN_REASON_PROCEEDED;
	return count;
}

int main(void)
{
	static const uint64_t others[][3] = { { 0x5851f42d4c957f2d, 0x14057b7ef767814f, 0x2545f4914f6cdd1d },
					      { 0x27d4eb2f165667c5, 0x85ebca77c2b2ae3d, 0xff51afd7ed558ccd },
					      { 0xc4ceb9fe1a85ec53, 0x62a9d9ed799705f5, 0xcb24d0a5c88c35b3 } };
	static uint8_t memory[4096 + SPIN_HOST_SLACK];
	uint32_t id[COLLIDING], next = 1, count = 1;
	unsigned failed = 0;

	spin_host_memory_at = memory;
	spin_config.host_bytes = 4096;
	spin_config.mpqs = SPIN_MPQS;
	spin_config.parking = SPIN_PARKING_MAX;
	spin_config.window = SPIN_WINDOW;
	spin_config.idle_ticks = spin_config.tombstone_ticks = 1000000;
	spin_config.virtual_clock = 1;
	for (id[0] = 0; count < COLLIDING; next++)
		if (home_slot(next) == home_slot(id[0]))
			id[count++] = next;
	count = count_accepted(id);
	printf("with the key that was guessed: %u of %u messages taken\n", count, COLLIDING);
	if (count != SPIN_FLOW_PROBES)
		failed = printf("FAIL: the ids were to collide\n") > 0;
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		memcpy(spin_config.key, others[i], sizeof(spin_config.key));
		count = count_accepted(id);
		printf("with another one: %u of %u\n", count, COLLIDING);
		if (count != COLLIDING)
			failed = printf("FAIL: a sender can aim at one place without knowing the key\n") > 0;
	}
	return failed ? 1 : 0;
}
