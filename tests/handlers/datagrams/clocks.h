/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_HANDLERS_CLOCKS_H
#define TESTS_HANDLERS_CLOCKS_H

/*
 * Shared by clocks.c (datagrams) and clocks_me.c (messages), for tests/vectors/clocks: header, payload and completion handler record what
 * they read. All engines must have the same: the time that the vector sets, in ns; random numbers that follow from a seed; TTL, code point
 * (DSCP) and VLAN tag of the packet at hand.
 */
#include <spin/spin.h>

struct clocks {
	uint32_t header_low, header_high, payload_low, payload_high, coarse_low, coarse_high, completion_low, completion_high;
	uint32_t random[4]; /* one from the header handler, two from the payload handler, one from the completion handler */
	uint32_t ttl, dscp, vlan, priority;
	uint32_t header_ttl, header_vlan, completion_dscp, completion_vlan;
};

SPIN_STATE(struct clocks);

static enum spin_header_rc clocks_header(struct spin_header *h, struct clocks *state)
{
	uint64_t now = spin_clock_ns();

	state->header_low = (uint32_t)now;
	state->header_high = now >> 32;
	state->random[0] = spin_random32(h);
	state->header_ttl = spin_ttl(h);
	state->header_vlan = spin_vlan(h);
	return SPIN_HEADER_PROCESS_DATA;
}

static enum spin_payload_rc clocks_payload(struct spin_payload *p, struct clocks *state)
{
	uint64_t now = spin_clock_ns(), coarse = spin_clock_coarse_ns();

	state->payload_low = (uint32_t)now;
	state->payload_high = now >> 32;
	state->coarse_low = (uint32_t)coarse;
	state->coarse_high = coarse >> 32;
	state->random[1] = spin_random32(p);
	state->random[2] = spin_random32(p);
	state->ttl = spin_ttl(p);
	state->dscp = spin_dscp(p);
	state->vlan = spin_vlan(p);
	state->priority = spin_vlan_priority(p);
	return SPIN_SUCCESS;
}

static enum spin_completion_rc clocks_completion(struct spin_completion *c, struct clocks *state)
{
	uint64_t now = spin_clock_ns();

	state->completion_low = (uint32_t)now;
	state->completion_high = now >> 32;
	state->random[3] = spin_random32(c);
	state->completion_dscp = spin_dscp(c);
	state->completion_vlan = spin_vlan(c);
	return SPIN_COMPLETION_SUCCESS;
}

#endif
