/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests a race. When all MPQs (states of messages in flight) are taken, an HPU (processor that runs handlers) chooses a quiet message and
 * evicts it for a new one. Here a second HPU evicts the chosen message first, and its MPQ gets a message that has just begun. The first
 * HPU's choice is then stale: it must evict nothing, and the new message must complete. Both HPUs' steps are called one by one, with a
 * matching entry for any number of messages and with one for a single message (USE_ONCE). Run by tests/run.
 */
#define SPIN_HANDLER_FILE "tests/handlers/messages/msg_default.c"
#include "bpf/context.host.c"

#include "tests/common/expect.h"
#include "tests/messages/colliding.h"

#define QUIET 1600u /* ticks: a message without packets for a 16th of the idle time may be evicted */

static uint8_t memory[4096 + SPIN_HOST_SLACK];

/* Opens message 1 in the only MPQ, and waits until it is quiet. */
static void prepare(uint32_t options)
{
	colliding_configure(memory, 4096, 1, 16 * QUIET);
	spin_host_event_count = 0;
	spin_host_mes()[0].options = options;
	expect(SPIN_REASON_PROCEEDED, colliding_packet(0, 1, 0, NULL), "the first packet of the quiet message");
	spin_clock += QUIET + 1;
}

/* The other HPU begins message 2 in place of message 1; then this one continues with what it has chosen. */
static void continue_with(uint32_t chosen)
{
	uint64_t pressed = spin_stats_at(0)->pressed;

	expect(0, chosen & (SPIN_MPQS_MAX * 2 - 1), "the MPQ of the message chosen");
	expect(SPIN_REASON_PROCEEDED, colliding_packet(0, 2, 0, NULL), "the first packet of another message");
	expect(pressed + 1, spin_stats_at(0)->pressed, "messages that have yielded");
	expect(SPIN_MPQS_MAX, spin_evict_begin(chosen), "the MPQ of the message chosen before, which has another one");
	expect(SPIN_MPQ_OPEN, spin_mpqs[0].phase, "phase of the message that has it");
	expect(SPIN_REASON_PROCEEDED, colliding_packet(SPIN_SLMP_EOM, 2, COLLIDING_BYTES, NULL), "its last packet");
	expect(1, spin_host_event_count, "events");
	expect(SPIN_EVENT_MESSAGE, spin_host_events[0].type, "its event");
}

int main(void)
{
	struct spin_key key = colliding_key(2);

	prepare(0);
	continue_with(spin_press_mpq(key.src[0] + 1, 4, spin_now()));
	prepare(SPIN_ME_USE_ONCE);
	continue_with(SPIN_PRESS_ME(&key, 0, spin_now()));
	return 0;
}
