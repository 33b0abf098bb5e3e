/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests a race. An HPU (processor that runs handlers) finds a packet's key with a tombstone (what remains of a message that has ended).
 * Before it reads the tombstone, another HPU, whose clock is ahead, gives the slot to a message with another key, which completes. The
 * first HPU must see that the tombstone is not the one it found: it must not call its packet a duplicate, and must not remove the other
 * message's tombstone. The steps of both HPUs are called one by one. Run by tests/run.
 */
#define SPIN_HANDLER_FILE "tests/handlers/messages/msg_default.c"
#include "bpf/context.host.c"

#include "tests/common/expect.h"
#include "tests/messages/colliding.h"

#define TICKS 1600u

int main(void)
{
	static uint8_t memory[4096 + SPIN_HOST_SLACK];
	struct spin_message last = { .slmp = { .flags = SPIN_SLMP_EOM, .offset = COLLIDING_BYTES, .bytes = COLLIDING_BYTES } };
	uint32_t id[2], place = 0, state;
	struct spin_key key;

	colliding_ids(id, 2);
	colliding_configure(memory, 4096, SPIN_MPQS, TICKS);
	expect(SPIN_REASON_PROCEEDED, colliding_packet(0, id[0], 0, NULL), "the first packet of a message");
	expect(SPIN_REASON_PROCEEDED, colliding_packet(SPIN_SLMP_EOM, id[0], COLLIDING_BYTES, NULL), "its last packet");

	spin_clock = last.now = TICKS;
	key = colliding_key(id[0]);
	state = spin_flow_find(&key, &place);
	expect(SPIN_FLOW_TOMBSTONE, state & SPIN_FLOW_KIND_, "kind of its flow");
	expect(SPIN_REASON_DUPLICATE, spin_tombstone_says(place, state, &last), "the last packet again");

	spin_clock = TICKS + 1;
	expect(SPIN_REASON_PROCEEDED, colliding_packet(SPIN_SLMP_EOM, id[1], 0, NULL), "a message of one packet, in its slot");
	expect(1, spin_flows[place].id == colliding_key(id[1]).id, "the key of the slot");
	expect(SPIN_PARSED, spin_tombstone_says(place, state, &last), "the last packet again, with the tombstone of another key");
	spin_tombstone_end_(place, state);
	expect(SPIN_REASON_DUPLICATE, colliding_packet(SPIN_SLMP_EOM, id[1], 0, NULL), "the other message's packet again");
	return 0;
}
