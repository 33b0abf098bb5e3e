/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that a sender cannot fill one part of the flow table, which finds the message that a packet belongs to, by a hash with a secret
 * key. It chooses the ids of more messages than a search probes, such that all searches begin at one slot. If the table uses the key that
 * the sender assumed, the last message finds no free slot; with any other key the messages are spread, and all are accepted. Run by
 * tests/run.
 */
#define SPIN_HANDLER_FILE "tests/handlers/messages/msg_default.c"
#include "bpf/context.host.c"

#include <stdio.h>

#include "tests/messages/colliding.h"

#define COLLIDING (SPIN_FLOW_PROBES + 1)

static unsigned count_accepted(const uint32_t *id)
{
	unsigned count = 0;

	spin_host_reset();
	for (unsigned i = 0; i < COLLIDING; i++)
		count += colliding_packet(0, id[i], 0, NULL) == SPIN_REASON_PROCEEDED;
	return count;
}

int main(void)
{
	static const uint64_t others[][3] = { { 0x5851f42d4c957f2d, 0x14057b7ef767814f, 0x2545f4914f6cdd1d },
					      { 0x27d4eb2f165667c5, 0x85ebca77c2b2ae3d, 0xff51afd7ed558ccd },
					      { 0xc4ceb9fe1a85ec53, 0x62a9d9ed799705f5, 0xcb24d0a5c88c35b3 } };
	static uint8_t memory[4096 + SPIN_HOST_SLACK];
	uint32_t id[COLLIDING], count;
	unsigned failed = 0;

	colliding_configure(memory, 4096, SPIN_MPQS, 1000000);
	colliding_ids(id, COLLIDING);
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
