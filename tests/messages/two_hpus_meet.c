/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests races in the message engine, which is included as plain C. Two threads race as HPUs (processors that run handlers) do, a moment
 * apart, again and again: a first packet and one that finds no buffer; the last packet and the removal of expired messages; a late copy and
 * the next message; parked packets that are put back and the end of their message; two evictions of one message for its MPQ (state of a
 * message in flight), also if the MPQ has another message by then. Whoever is first, a message must end once, each of its packets be
 * handled once, and no MPQ or buffer leak. Run by tests/run.
 */
#define SPIN_HANDLER_FILE "tests/handlers/messages/msg_default.c"
#include "bpf/context.host.c"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/net/slow.h"
#include "tests/reference/frame.h"

#define ROUNDS_MOST 40000u
#define STRIDE      100u

enum scenario { NO_BUFFER, SWEEP, LATE_COPY, PUT_BACK, ONE_ENDS, ONE_BEGINS, SCENARIOS };
static const char *const names[] = { "no buffer is free while the message opens", "a sweep meets the last packet",
				     "a late copy meets the next message",        "parked packets are put back at the end",
				     "both want the MPQ of one message",          "both want it, and one begins a message there" };

static enum scenario scenario;
static unsigned arrived[2];
static int result[2];
static uint32_t chosen;
static unsigned failures;
static uint32_t rounds;

/* Runs a packet with STRIDE bytes of payload; returns its reason. */
static int packet(uint32_t flags, uint32_t id, uint32_t offset)
{
	static const struct frame_flow flow = { 4, { 10, 0, 0, 1 }, { 10, 0, 0, 2 }, 4660, SPIN_SLMP_PORT };
	uint8_t frame[FRAME_HEADERS_MAX + sizeof(struct spin_slmp) + STRIDE] = { 0 };
	const struct spin_slmp slmp = { spin_hton16(flags), spin_hton32(id), spin_hton32(offset) };
	uint32_t bytes, verdict;

	memcpy(frame_payload(frame, 4), &slmp, sizeof(slmp));
	bytes = frame_finish(frame, &flow, sizeof(slmp) + STRIDE, FRAME_SUM_NONE);
	return spin_host_packet(frame, &bytes, &verdict);
}

static unsigned count_leaks(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < SPIN_MPQ_WORDS; i++)
		count += (unsigned)__builtin_popcountll(spin_mpqs_used[i]);
	for (unsigned i = 0; i < SPIN_PARKING_MAX / 64; i++)
		count += (unsigned)__builtin_popcountll(spin_parks_used[i]);
	return count;
}

/* Ends all idle messages. */
static void expire_all(void)
{
	for (unsigned i = 0; i < 2; i++) {
		spin_clock += 2 * spin_config.idle_ticks;
		spin_host_progress();
	}
	spin_host_event_count = 0;
}

static void prepare(uint32_t id)
{
	spin_mpqs_next = 0; /* reuse the same MPQ at once, which round-robin allocation makes rare */
	if (scenario == NO_BUFFER)
		packet(SPIN_SLMP_SYN, 1, STRIDE);
	else
		packet(SPIN_SLMP_SYN, id, 0);
	chosen = spin_chosen(0);
	if (scenario == SWEEP)
		spin_clock += 2 * spin_config.idle_ticks;
	if (scenario == PUT_BACK) {
		expire_all();
		for (unsigned i = 0; i < 2 * SPIN_REPLAY_MAX + 10; i++)
			packet(SPIN_SLMP_SYN, id + 0x40000000, 2 * STRIDE + 1 + i);
		packet(SPIN_SLMP_SYN, id + 0x40000000, 0);
	}
}

static void race(unsigned me, uint32_t id)
{
	switch (scenario) {
	case NO_BUFFER:
		result[me] = me ? packet(SPIN_SLMP_SYN, id, 0) : packet(SPIN_SLMP_SYN | SPIN_SLMP_EOM, id, STRIDE);
		break;
	case SWEEP:
		if (me)
			result[me] = packet(SPIN_SLMP_SYN | SPIN_SLMP_EOM, id, STRIDE);
		else if (spin_sweep_is_idle(&spin_mpqs[0], spin_now()))
			spin_evict(spin_chosen(0), 0, spin_now());
		break;
	case ONE_ENDS:
	case ONE_BEGINS:
		result[me] = spin_evict_begin(chosen);
		if (scenario == ONE_ENDS || result[me] >= (int)SPIN_MPQS_MAX)
			break;
		spin_evict_end(0, me, spin_now(), 0);
		spin_mpqs_next = 0;
		packet(SPIN_SLMP_SYN, id + 0x10000000, 0);
		break;
	case LATE_COPY:
		result[me] = packet(SPIN_SLMP_SYN | SPIN_SLMP_EOM, id, STRIDE);
		if (!me)
			break;
		spin_mpqs_next = 0;
		for (unsigned i = 0; i < 6; i++)
			packet(SPIN_SLMP_SYN, id + 0x10000000, i * STRIDE);
		break;
	default:
		if (me)
			packet(SPIN_SLMP_SYN | SPIN_SLMP_EOM, id + 0x40000000, STRIDE);
		else
			spin_host_replay(0);
	}
}

static const char *find_error(uint32_t id)
{
	if (scenario == NO_BUFFER && result[1] == SPIN_REASON_PROCEEDED && result[0] != SPIN_REASON_PROCEEDED) {
		int again = packet(SPIN_SLMP_SYN | SPIN_SLMP_EOM, id, STRIDE);

		if (again != SPIN_REASON_PROCEEDED && again != SPIN_REASON_DUPLICATE)
			return "a message whose first packet was acknowledged is gone";
	}
	if (scenario == LATE_COPY) {
		for (unsigned i = 0; i < 6; i++)
			if (packet(SPIN_SLMP_SYN, id + 0x10000000, i * STRIDE) != SPIN_REASON_DUPLICATE)
				return "a packet was handled twice";
		if (packet(SPIN_SLMP_SYN | SPIN_SLMP_EOM, id + 0x10000000, 6 * STRIDE) != SPIN_REASON_PROCEEDED)
			return "the last packet is no longer its message's";
	}
	if (scenario == ONE_BEGINS && packet(SPIN_SLMP_SYN | SPIN_SLMP_EOM, id + 0x10000000, STRIDE) != SPIN_REASON_PROCEEDED)
		return "the message that has just begun is gone";
	if (scenario == ONE_ENDS) {
		if (!result[0] == !result[1])
			return "not one of the two has the MPQ";
		spin_evict_end(0, 0, spin_now(), 0);
	}
	expire_all();
	return count_leaks() ? "an MPQ or a buffer is left behind" : NULL;
}

static void wait_for_both(unsigned me, unsigned turn)
{
	__atomic_store_n(&arrived[me], turn, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&arrived[!me], __ATOMIC_SEQ_CST) < turn)
		;
}

static void *hpu(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg, seed = me * 77 + 1, turn = 1;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(me, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set); /* with only one CPU they race less often */
	for (uint32_t id = 1000; id < 1000 + rounds; id++) {
		if (!me) {
			if (id % 20000 == 0)
				spin_host_reset();
			prepare(id);
		}
		wait_for_both(me, turn++);
		seed = seed * 1103515245 + 12345;
		for (volatile unsigned i = 0; i < (seed >> 16) % (scenario == PUT_BACK ? 2500 : 80); i++)
			;
		race(me, id);
		wait_for_both(me, turn++);
		if (!me) {
			const char *wrong = find_error(id);

			if (wrong) {
				if (!failures++)
					printf("FAIL  %s: %s (round %u)\n", names[scenario], wrong, id - 1000);
				spin_host_reset();
			}
		}
		wait_for_both(me, turn++);
	}
	return NULL;
}

int main(void)
{
	unsigned bad = 0;

	rounds = (uint32_t)slow_rounds(ROUNDS_MOST);
	spin_host_memory_at = calloc(1, SPIN_HOST_BYTES_BARE + SPIN_HOST_SLACK);
	if (!spin_host_memory_at)
		return 1;
	for (scenario = 0; scenario < SCENARIOS; scenario++) {
		pthread_t thread[2];

		spin_config.mpqs = SPIN_MPQS;
		spin_config.parking = scenario == NO_BUFFER ? 1 : SPIN_PARKING_MAX;
		spin_config.host_bytes = SPIN_HOST_BYTES_BARE;
		spin_config.idle_ticks = 10;
		spin_config.tombstone_ticks = scenario == SWEEP ? 5 : 1000000;
		spin_config.virtual_clock = 1;
		spin_host_reset();
		failures = arrived[0] = arrived[1] = 0;
		for (uintptr_t i = 0; i < 2; i++)
			if (pthread_create(&thread[i], NULL, hpu, (void *)i))
				return 1;
		for (unsigned i = 0; i < 2; i++)
			pthread_join(thread[i], NULL);
		printf("%s: %u rounds, %u failed\n", names[scenario], rounds, failures);
		bad |= failures;
	}
	free(spin_host_memory_at);
	return bad != 0;
}
