/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests which answer a sender gets when its message is refused. A matching entry (memory posted for messages) with NO_TRUNCATE refuses a
 * message that has a packet beyond the entry's end. Here that packet comes while a handler of the message runs on another HPU (processor
 * that runs handlers). Packets are not answered until the message has ended; its event and the answers to all later packets must say
 * refused, and not ask the sender to begin again. tests/model/messages_on_the_hpu.c expects the same of the modelled NIC. Run by tests/run.
 */
#define SPIN_HANDLER_FILE "tests/messages/hooked_handler.h"
#include "bpf/context.host.c"

#include "tests/common/expect.h"
#include "tests/messages/colliding.h"

static int is_armed;

/* What the other HPU does while the handler runs. */
static void hook(void)
{
	if (!is_armed)
		return;
	is_armed = 0;
	spin_refuse(0, spin_mpqs[0].generation & 0xffff, 1, spin_now());
	expect(SPIN_MPQ_ENDING, spin_mpqs[0].phase, "phase of the refused message");
}

int main(void)
{
	static uint8_t memory[4096 + SPIN_HOST_SLACK];
	uint32_t answer;

	colliding_configure(memory, 4096, SPIN_MPQS, 2000);
	spin_host_mes()[0].options = SPIN_ME_NO_TRUNCATE;
	is_armed = 1;
	expect(SPIN_REASON_SUCCESS, colliding_packet(0, 1, 0, NULL), "the packet whose handler runs");
	expect(SPIN_REASON_NO_MPQ, colliding_packet(SPIN_SLMP_EOM, 1, COLLIDING_BYTES, &answer),
	       "the last packet, before the message ends");
	expect(0, answer, "its answer");

	spin_clock = 1;
	spin_host_progress();
	expect(1, spin_host_event_count, "events of the refused message");
	expect(SPIN_EVENT_TIMEOUT, spin_host_events[0].type, "its event");
	expect(SPIN_EVENT_REFUSED, spin_host_events[0].flags & SPIN_EVENT_REFUSED, "that it was refused");
	for (uint32_t offset = 0; offset <= COLLIDING_BYTES; offset += COLLIDING_BYTES) {
		expect(SPIN_REASON_BEYOND_ENTRY, colliding_packet(0, 1, offset, &answer), "a packet after the end");
		expect(SPIN_SLMP_ACK | SPIN_SLMP_REFUSED, answer, "its answer");
	}
	return 0;
}
