/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the packet-buffer allocator (next fit, in beats of 64 bytes) of the NIC model: it must return the same offsets as a plain scan over
 * all beats, in 300,000 random steps that allocate and free. In memory full of small packets 3,000,000 allocations must end within the time
 * limit of tests/run, which an allocator that scans would exceed. Run by tests/run. It creates no NIC.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/common/random.h"

#include "hwmodel/nic/packet_buffer.h"

#define SMALL_BYTES (16u * 1024)
#define SMALL_BEATS (SMALL_BYTES / BUFFER_UNIT_BYTES)
#define LARGE_BYTES (4096u * 1024)
#define LARGE_BEATS (LARGE_BYTES / BUFFER_UNIT_BYTES)
#define STEPS       300000
/* Large enough that an allocator which scans would exceed the runner's time limit. */
#define EXCHANGES 3000000

/* The expected allocator state, stored per beat. */
struct reference {
	uint8_t is_taken[SMALL_BEATS];
	unsigned rover;
};

static int failures;

static void check(int ok, const char *what, unsigned step)
{
	if (ok)
		return;
	if (failures++ < 10)
		printf("FAIL %s, step %u\n", what, step);
}

static unsigned free_run(const struct reference *r, unsigned at)
{
	unsigned end = at;

	while (end < SMALL_BEATS && !r->is_taken[end])
		end++;
	return end - at;
}

/* Returns the first beat of the first free run of at least `beats` beats that begins in [from, SMALL_BEATS), or SMALL_BEATS. */
static unsigned scan(const struct reference *r, unsigned from, unsigned beats)
{
	for (unsigned at = from; at < SMALL_BEATS; at++) {
		int begins = !r->is_taken[at] && (!at || r->is_taken[at - 1]);

		if (begins && free_run(r, at) >= beats)
			return at;
	}
	return SMALL_BEATS;
}

static unsigned reference_alloc(struct reference *r, unsigned beats)
{
	unsigned at = scan(r, r->rover, beats);

	if (at == SMALL_BEATS)
		at = scan(r, 0, beats);
	if (at == SMALL_BEATS)
		return at;
	for (unsigned i = 0; i < beats; i++)
		r->is_taken[at + i] = 1;
	r->rover = (at + beats) % SMALL_BEATS;
	return at;
}

static void reference_free(struct reference *r, unsigned at, unsigned beats)
{
	for (unsigned i = 0; i < beats; i++)
		r->is_taken[at + i] = 0;
	while (r->rover && !r->is_taken[r->rover] && !r->is_taken[r->rover - 1])
		r->rover--;
}

/* Sizes and freed packets are random. Phases that mostly allocate and phases that mostly free alternate. */
static void compare_random(uint64_t seed)
{
	static struct buffer *held[SMALL_BEATS];
	struct reference reference = { .rover = 0 };
	struct packet_buffer memory;
	unsigned count = 0, refused = 0;

	check(!packet_buffer__open(&memory, SMALL_BYTES), "opens", 0);
	for (unsigned step = 0; step < STEPS && !failures; step++) {
		unsigned alloc_tenths = step / 500 % 2 ? 3 : 6, beats = 1 + random_below(&seed, random_below(&seed, 8) ? 4 : 40);

		if (random_below(&seed, 10) < alloc_tenths) {
			int incomplete = 0;
			unsigned want = reference_alloc(&reference, beats);
			struct buffer *buffer =
				packet_buffer__alloc(&memory, beats * BUFFER_UNIT_BYTES - random_below(&seed, BUFFER_UNIT_BYTES),
						     &incomplete);

			check(!incomplete, "the host has memory", step);
			check((want == SMALL_BEATS) == !buffer, "room is found where there is some", step);
			check(!buffer || buffer__offset(buffer) == want * BUFFER_UNIT_BYTES, "the same place", step);
			check(!buffer || buffer__bytes(buffer) == beats * BUFFER_UNIT_BYTES, "as large as asked for", step);
			refused += !buffer;
			if (buffer)
				held[count++] = buffer;
		} else if (count) {
			unsigned which = random_below(&seed, count);
			struct buffer *buffer = held[which];

			held[which] = held[--count];
			reference_free(&reference, buffer__offset(buffer) / BUFFER_UNIT_BYTES, buffer__bytes(buffer) / BUFFER_UNIT_BYTES);
			packet_buffer__free(&memory, buffer);
		}
	}
	check(refused > 100, "memory was full at times", STEPS);
	while (count)
		packet_buffer__free(&memory, held[--count]);
	check(!memory.taken_units, "all is free at the end", STEPS);
	packet_buffer__close(&memory);
}

/* Memory is full of one-beat packets: repeatedly frees one and allocates one. */
static void exchange(uint64_t seed)
{
	static struct buffer *held[LARGE_BEATS];
	struct packet_buffer memory;
	int incomplete = 0;

	check(!packet_buffer__open(&memory, LARGE_BYTES), "opens", 0);
	for (unsigned i = 0; i < LARGE_BEATS; i++)
		held[i] = packet_buffer__alloc(&memory, BUFFER_UNIT_BYTES, &incomplete);
	check(!packet_buffer__alloc(&memory, BUFFER_UNIT_BYTES, &incomplete), "full is full", 0);
	for (unsigned i = 0; i < EXCHANGES && !failures; i++) {
		unsigned which = random_below(&seed, LARGE_BEATS);
		uint32_t offset = buffer__offset(held[which]);

		packet_buffer__free(&memory, held[which]);
		held[which] = packet_buffer__alloc(&memory, BUFFER_UNIT_BYTES, &incomplete);
		check(held[which] && buffer__offset(held[which]) == offset, "the one that went is taken", i);
	}
	check(memory.peak_units == LARGE_BEATS, "the peak is all of it", EXCHANGES);
	packet_buffer__close(&memory);
}

int main(void)
{
	for (uint64_t seed = 1; seed <= 4; seed++)
		compare_random(seed);
	exchange(5);
	return failures != 0;
}
