/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the clock, random numbers and VLAN tag that the modelled HPU reads (<spin/clock.h>, <spin/random.h>). Time must advance with the
 * NIC's cycles, as the reports count them, and be in nanoseconds at other clock rates as well. Two runs must draw the same numbers, and
 * values set by a test must not change. Run by tests/run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwmodel/pspin.h>
#include <spin/libspin.h>
#include <spin/random.h>

#include "tests/common/built.h"

struct clocks { /* state of the handler "clocks" */
	uint32_t header_low, header_high, payload_low, payload_high, coarse_low, coarse_high, completion_low, completion_high;
	uint32_t random[4];
	uint32_t ttl, dscp, vlan, priority;
	uint32_t header_ttl, header_vlan, completion_dscp, completion_vlan;
};

static const uint8_t frame[] = {
	2,    0,    0, 0,  0, 2, 2, 0, 0, 0,  0,    1,    0x81, 0, 0x60, 9, 8,  0, /* VLAN 9, priority 3 */
	0x45, 0xb8, 0, 29, 0, 0, 0, 0, 7, 17, 0x9f, 0x16, 10,   0, 0,    1, 10, 0, 0, 2, 0, 1, 0, 2, 0, 9, 0, 0, 'x',
};

static int failures;

static void check(int ok, const char *what)
{
	if (ok)
		return;
	printf("FAIL %s\n", what);
	failures++;
}

static struct pspin *open_nic(const struct spin_object *object, const struct pspin_target *target)
{
	struct spin_rule any = { 0 };
	struct pspin *nic;
	char err[256] = "";
	const void *image;
	size_t bytes;

	image = spin_object__image(object, &bytes);
	if (!pspin__open(&nic, target, spin_object__meta(object), image, bytes, &any, err, sizeof(err)))
		return nic;
	printf("FAIL open: %s\n", err);
	exit(1);
}

/*
 * Runs one packet. *cycles is at least the cycles from the first instruction of its header handler to the last of its completion handler.
 */
static struct clocks run(struct pspin *nic, uint64_t *cycles)
{
	struct pspin_result result;
	struct clocks seen = { 0 };
	uint32_t at;

	if (pspin__packet(nic, frame, sizeof(frame), &result) || result.reason != SPIN_REASON_SUCCESS || result.task_count != 3 ||
	    pspin__symbol(nic, "spin_state", &at, NULL) || pspin__read(nic, at, &seen, sizeof(seen))) {
		printf("FAIL the packet was not handled\n");
		exit(1);
	}
	*cycles = 0;
	for (unsigned i = 0; i < result.task_count; i++)
		*cycles += result.tasks[i].body_cycles;
	return seen;
}

static void time_is_in_cycles(const struct spin_object *object)
{
	struct pspin_target *slow = pspin_target__copy(pspin_target__find("pspin-rtl"));
	struct pspin *nic = open_nic(object, pspin_target__find("pspin-rtl")), *half;
	struct clocks first, second, at_half;
	uint64_t cycles;
	char err[256];

	first = run(nic, &cycles);
	check(first.header_low && !first.header_high && !first.payload_high, "time begins when the NIC does");
	check(first.header_low < first.payload_low && first.payload_low < first.completion_low,
	      "each handler is later than the one before");
	check(first.coarse_low >= first.payload_low && first.coarse_low - first.payload_low < 8, "the coarse clock is the same one");
	check(first.completion_low - first.header_low < cycles + 200, "handlers take what the report says");
	second = run(nic, &cycles);
	check(second.header_low > first.completion_low, "the next packet is later");
	pspin__close(nic);

	check(slow && !pspin_target__set(slow, "clock_mhz", 500, err, sizeof(err)), "a clock of 500 MHz");
	half = open_nic(object, slow);
	at_half = run(half, &cycles);
	check(at_half.payload_low - at_half.header_low == 2 * (first.payload_low - first.header_low), "at 500 MHz a cycle is 2 ns");
	pspin__close(half);
	pspin_target__free(slow);
}

static void numbers_are_repeated(const struct spin_object *object)
{
	struct pspin *nic = open_nic(object, pspin_target__find("pspin-rtl")), *again = open_nic(object, pspin_target__find("pspin-rtl"));
	struct clocks a, b, c;
	uint64_t cycles;

	a = run(nic, &cycles);
	b = run(again, &cycles);
	c = run(nic, &cycles);
	check(!memcmp(a.random, b.random, sizeof(a.random)), "a run has the numbers of the run before");
	check(memcmp(a.random, c.random, sizeof(a.random)) != 0, "the next packet has others");
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < i; j++)
			check(a.random[i] != a.random[j], "each call gives another number");
	check(a.vlan == 9 && a.priority == 3 && a.header_vlan == 9 && a.completion_vlan == 9, "the tag is the packet's");
	check(a.ttl == 7 && a.dscp == 46, "and so are the fields of its IP header");
	pspin__close(again);

	pspin__set_time(nic, 0x500000007);
	pspin__set_random(nic, 11);
	a = run(nic, &cycles);
	check(a.header_low == 7 && a.header_high == 5 && a.completion_low == 7 && a.completion_high == 5,
	      "the time that is set stands still");
	check(a.random[0] == spin_random_mix_(11 + SPIN_RANDOM_STEP) && a.random[3] == spin_random_mix_(11 + 4 * SPIN_RANDOM_STEP),
	      "draws go on behind the one that is set");
	pspin__close(nic);
}

int main(void)
{
	struct spin_object *object = built_open("clocks");

	time_is_in_cycles(object);
	numbers_are_repeated(object);
	spin_object__close(object);
	if (!failures)
		printf("ok\n");
	return failures != 0;
}
