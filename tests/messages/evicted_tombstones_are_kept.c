/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests how long the flow table remembers an evicted message. A message that was evicted for another leaves a tombstone there, which tells
 * its sender to begin again. A new message whose search in the table begins at the same slot must not take that slot as long as another
 * slot that the search reaches is free or has an old tombstone; when there is none, it does. The message after that finds no slot and must
 * be dropped as NO_MPQ (no room for a message). Run by tests/run.
 */
#define SPIN_HANDLER_FILE "tests/handlers/messages/msg_default.c"
#include "bpf/context.host.c"

#include "tests/common/expect.h"
#include "tests/messages/colliding.h"

#define MESSAGES (SPIN_FLOW_PROBES + 2)
#define TICKS    1600u

static uint32_t id[MESSAGES];

/* Opens message 0, and has it end for a message of another home. Its tombstone is in the home slot. */
static void evict(void)
{
	uint32_t other = 1;

	while (colliding_key(other).home - colliding_key(id[0]).home < SPIN_FLOW_PROBES)
		other++;
	expect(SPIN_REASON_PROCEEDED, colliding_packet(0, id[0], 0, NULL), "the first packet of the message to be evicted");
	spin_clock += TICKS / 16 + 1;
	expect(SPIN_REASON_PROCEEDED, colliding_packet(SPIN_SLMP_EOM, other, 0, NULL), "the message that needs its MPQ");
	expect(SPIN_FLOW_PRESSED, spin_flows[colliding_key(id[0]).home].sum, "a tombstone in the home slot");
}

/* Returns the answer to a packet of message 0 other than its first. */
static uint32_t ask(void)
{
	uint32_t answer;

	colliding_packet(0, id[0], COLLIDING_BYTES, &answer);
	return answer;
}

static void take(unsigned first, unsigned end, enum spin_reason reason)
{
	for (unsigned i = first; i < end; i++)
		expect(reason, colliding_packet(SPIN_SLMP_EOM, id[i], 0, NULL), "a message of one packet with the same home");
}

int main(void)
{
	static uint8_t memory[4096 + SPIN_HOST_SLACK];

	colliding_ids(id, MESSAGES);
	colliding_configure(memory, 4096, 1, TICKS);
	evict();
	take(1, SPIN_FLOW_PROBES, SPIN_REASON_PROCEEDED); /* all other slots */
	expect(SPIN_SLMP_ACK | SPIN_SLMP_AGAIN, ask(), "the evicted message's sender, while slots were free");
	take(SPIN_FLOW_PROBES, SPIN_FLOW_PROBES + 1, SPIN_REASON_PROCEEDED); /* the evicted message's */
	take(SPIN_FLOW_PROBES + 1, MESSAGES, SPIN_REASON_NO_MPQ);
	take(1, SPIN_FLOW_PROBES + 1, SPIN_REASON_DUPLICATE);

	colliding_configure(memory, 4096, 1, TICKS);
	take(1, SPIN_FLOW_PROBES, SPIN_REASON_PROCEEDED);
	spin_clock += TICKS + 1; /* their tombstones are old */
	evict();
	take(1, 2, SPIN_REASON_PROCEEDED); /* in place of an old tombstone */
	expect(SPIN_SLMP_ACK | SPIN_SLMP_AGAIN, ask(), "the evicted message's sender, while tombstones were old");
	return 0;
}
