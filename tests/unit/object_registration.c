/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests what libspin checks when it opens a .spin object: what its handlers registered by SPIN_HANDLERS, such as the budget of loop steps,
 * the pieces of messages and the number of packets that handlers send. The maximum must be accepted. One more must be refused with a reason
 * that contains the maximum. Run by tests/run.
 */
#include <errno.h>

#include "tests/common/built.h"
#include "tests/common/expect.h"
#include "tests/common/damaged_object.h"

static struct spin_object *object;

static int open_with(size_t field, size_t bytes, uint32_t value)
{
	struct spin_object *changed;
	int err = damaged_registration(object, field, bytes, value, &changed);

	spin_object__close(changed);
	return err;
}

static void expect_refused(size_t field, size_t bytes, uint32_t value, const char *reason)
{
	expect(-EINVAL, open_with(field, bytes, value), reason);
	expect_error_text(reason);
}

static size_t section_of(const char *name)
{
	size_t at, bytes;

	if (spin_elf__section(object->data, object->bytes, name, &at, &bytes) || !bytes)
		fail(name);
	return at;
}

static void all_is_taken_as_it_is(void)
{
	const struct spin_registration *reg = &spin_object__meta(object)->registration;

	expect(16, reg->puts, "puts");
	expect(8, reg->scratchpad_bytes, "the scratchpad's size");
	expect(64, reg->fragmentation_bytes, "fragmentation_bytes");
	expect(256, reg->user_header_bytes, "user_header_bytes");
	expect(1, reg->payload_aligned, "payload_aligned");
	expect(1 << 22, reg->budget, "the budget");
}

static void a_budget_has_its_most(void)
{
	expect(0, open_with(REGISTERED(budget), 0), "no budget");
	expect(0, open_with(REGISTERED(budget), 1), "a budget of one step");
	expect_refused(REGISTERED(budget), SPIN_BUDGET_MAX + 1, "registers .budget = 4194305: at most 4194304 steps");
	expect_refused(REGISTERED(budget), UINT32_MAX, "at most 4194304 steps");
}

static void pieces_are_powers_of_two(void)
{
	for (unsigned unit = 0; unit <= 2 * SPIN_FRAGMENTATION_MAX; unit++) {
		if (unit <= SPIN_FRAGMENTATION_MAX && !(unit & (unit - 1)))
			expect(0, open_with(REGISTERED(fragmentation_bytes), unit), "a power of two");
		else
			expect_refused(REGISTERED(fragmentation_bytes), unit, "a power of two, at most 64");
	}
	expect_refused(REGISTERED(user_header_bytes), 32, ".user_header_bytes = 32 with .fragmentation_bytes = 64");
	expect_error_text("make it a multiple");
	expect(0, open_with(REGISTERED(user_header_bytes), 128), "a user header of two pieces");
	expect(0, open_with(REGISTERED(user_header_bytes), 0), "no user header");
}

static void payloads_are_aligned_or_not(void)
{
	expect(0, open_with(REGISTERED(payload_aligned), 0), "payloads anywhere");
	expect_refused(REGISTERED(payload_aligned), 2, "it asks for a place of payloads that does not exist");
	expect_refused(REGISTERED(payload_aligned), 255, "it asks for a place of payloads that does not exist");
}

static void puts_are_from_1_to_16(void)
{
	struct spin_object *changed;

	for (uint32_t puts = 0; puts <= 20; puts++) {
		int err = damaged_open(object, section_of(SPIN_PUTS_SECTION), &puts, sizeof(puts), &changed);

		expect(puts >= 1 && puts <= SPIN_PUTS_MAX ? 0 : -EINVAL, err, "a number of packets to send");
		if (err)
			expect_error_text("is damaged: the number of packets that it sends");
		else
			expect(puts, spin_object__meta(changed)->registration.puts, "as many as were registered");
		spin_object__close(changed);
	}
	expect_refused(REGISTERED(puts), 1, "leave that to SPIN_PUTS(n)");
}

static int with_version(uint16_t version)
{
	size_t at = section_of(SPIN_META_SECTION) + offsetof(struct spin_meta, api_version);
	struct spin_object *changed;
	int err = damaged_open(object, at, &version, sizeof(version), &changed);

	spin_object__close(changed);
	return err;
}

static void another_version_is_told_as_such(void)
{
	char expected[64];

	expect(-EINVAL, with_version(SPIN_API_VERSION - 1), "an older object");
	snprintf(expected, sizeof(expected), "was made for handler API %u, this is %u", SPIN_API_VERSION - 1, SPIN_API_VERSION);
	expect_error_text(expected);
	expect_error_text("compile it again with spincc");
	expect(-ENOTSUP, with_version(SPIN_API_VERSION + 1), "a newer object");
}

static void pieces_are_for_messages(void)
{
	expect_refused(REGISTERED(fragmentation_bytes), 8, ".fragmentation_bytes, which is for messages");
	expect_refused(REGISTERED(takes), SPIN_TAKES_ATOMIC, ".takes, which is for messages");
	expect_refused(REGISTERED(takes), 8, "it takes requests that do not exist");
	expect(0, open_with(REGISTERED(fragmentation_bytes), 1), "pieces of one byte of datagrams");
	expect(0, open_with(REGISTERED(budget), SPIN_BUDGET_MAX), "a budget of datagrams");
	expect(0, spin_object__meta(object)->registration.puts, "puts of handlers without SPIN_PUTS");
}

int main(void)
{
	object = built_open("registers_all");
	all_is_taken_as_it_is();
	a_budget_has_its_most();
	payloads_are_aligned_or_not();
	pieces_are_powers_of_two();
	puts_are_from_1_to_16();
	another_version_is_told_as_such();
	spin_object__close(object);
	object = built_open("sum");
	pieces_are_for_messages();
	spin_object__close(object);
	return 0;
}
