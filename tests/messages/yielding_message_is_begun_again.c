/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that no evicted message is reported as sent. If all MPQs (states of messages in flight) are in use, a message yields its own to a
 * first packet from elsewhere. Here one yields while one of its handlers runs on another HPU. It ends later, as timed out. Its last packet
 * must not be acknowledged, and packets that arrive after its end must tell the sender to begin again. If they were acknowledged, the
 * sender would report success for a message that the application never gets. Run by tests/run.
 */
#define SPIN_HANDLER_FILE "tests/messages/hooked_handler.h"
#include "bpf/context.host.c"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/expect.h"
#include "tests/reference/frame.h"

#define STRIDE 100u

static int is_armed;

/* What the other HPU does while the handler runs. */
static void hook(void)
{
	struct spin_message other = { .key = { .id = 4, .src = { 0x6300000a } } };

	if (!is_armed)
		return;
	is_armed = 0;
	other.now = spin_now();
	expect(SPIN_MPQS_MAX, (int)spin_message_press_(&other), "an MPQ whose handler still runs");
	expect(SPIN_MPQ_ENDING, (int)spin_mpqs[0].phase, "phase of the message that yields");
}

/* Sends a packet. Returns the flags of its answer; 0: it is not answered. */
static uint32_t send_packet(uint32_t flags, uint32_t id, uint32_t offset)
{
	static const struct frame_flow flow = { 4, { 10, 0, 0, 1 }, { 10, 0, 0, 2 }, 4660, SPIN_SLMP_PORT };
	uint8_t frame[FRAME_HEADERS_MAX + sizeof(struct spin_slmp) + STRIDE] = { 0 };
	struct spin_slmp slmp = { spin_hton16(SPIN_SLMP_SYN | flags), spin_hton32(id), spin_hton32(offset) };
	uint32_t bytes, verdict;

	memcpy(frame_payload(frame, 4), &slmp, sizeof(slmp));
	bytes = frame_finish(frame, &flow, sizeof(slmp) + STRIDE, FRAME_SUM_NONE);
	spin_host_packet(frame, &bytes, &verdict);
	if (verdict != SPIN_VERDICT_TX)
		return 0;
	memcpy(&slmp, frame_payload(frame, 4), sizeof(slmp));
	return spin_ntoh16(slmp.flags);
}

static void expect_timeout(uint32_t id)
{
	spin_clock += 4;
	spin_host_progress();
	expect(1, (int)spin_host_event_count, "events of a message that has yielded");
	expect(SPIN_EVENT_TIMEOUT, (int)spin_host_events[0].type, "its event");
	expect((int)id, (int)spin_host_events[0].message_id, "its message");
	spin_host_event_count = 0;
}

static void one_packet(void)
{
	is_armed = 1;
	expect(0, (int)send_packet(SPIN_SLMP_EOM, 1, 0), "answer to the only packet");
	expect(0, is_armed, "the handler ran");
	expect_timeout(1);
}

static void four_packets(void)
{
	is_armed = 1;
	expect(SPIN_SLMP_ACK, (int)send_packet(0, 2, 0), "answer to the first packet");
	expect(0, (int)send_packet(0, 2, STRIDE), "answer while the message ends");
	expect_timeout(2);
	for (uint32_t i = 1; i < 4; i++)
		expect(SPIN_SLMP_ACK | SPIN_SLMP_AGAIN, (int)send_packet(i == 3 ? SPIN_SLMP_EOM : 0, 2, i * STRIDE),
		       "answer after its end");
	/* the sender begins again */
	for (uint32_t i = 0; i < 4; i++)
		expect(SPIN_SLMP_ACK, (int)send_packet(i == 3 ? SPIN_SLMP_EOM : 0, 3, i * STRIDE), "answer to the second attempt");
	expect(1, (int)spin_host_event_count, "events of the second attempt");
	expect(SPIN_EVENT_MESSAGE, (int)spin_host_events[0].type, "its event");
}

int main(void)
{
	spin_host_memory_at = calloc(1, SPIN_HOST_BYTES_BARE + SPIN_HOST_SLACK);
	if (!spin_host_memory_at)
		return 1;
	spin_config.mpqs = 64; /* fewer do not look for messages that make no progress */
	spin_config.parking = SPIN_PARKING_MAX;
	spin_config.host_bytes = SPIN_HOST_BYTES_BARE;
	spin_config.idle_ticks = spin_config.tombstone_ticks = 2000;
	spin_config.virtual_clock = 1;
	spin_host_reset();
	one_packet();
	spin_host_reset();
	four_packets();
	free(spin_host_memory_at);
	return 0;
}
