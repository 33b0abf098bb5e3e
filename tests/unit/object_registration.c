/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What handlers register is checked when their object is opened: budget, pieces of messages, how many packets they
 * send. Each as large as it may be is taken, one more is refused with a sentence that says the most.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <common/built.h>
#include <common/expect.h>
#include <libspin/internal.h>
#include <libspin/seal.h>

#define FIELD(name) offsetof(struct spin_registration, name), sizeof(((struct spin_registration *)NULL)->name)

static char path[] = "/tmp/spin-object-XXXXXX";
static struct spin_object *object;
static size_t registered, puts_at;

static void remove_path(void)
{
	unlink(path);
}

static void write_all(const uint8_t *data, size_t bytes)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(data, 1, bytes, f) != bytes || fclose(f))
		fail("writing a changed object");
}

/* Opens the object with some bytes at an offset replaced, sealed again; what it says of them. */
static int open_changed(size_t offset, const void *value, size_t bytes, struct spin_registration *out)
{
	uint8_t *copy = malloc(object->bytes + SPIN_SEAL_BYTES);
	struct spin_object *changed;
	int err;

	if (!copy)
		fail("no memory");
	memcpy(copy, object->data, object->bytes);
	memcpy(copy + offset, value, bytes);
	spin_seal__make(copy, object->bytes, copy + object->bytes);
	write_all(copy, object->bytes + SPIN_SEAL_BYTES);
	free(copy);
	err = spin_object__open(path, &changed);
	if (!err && out)
		*out = spin_object__meta(changed)->registration;
	spin_object__close(changed);
	return err;
}

static int with(size_t offset, size_t bytes, uint32_t value)
{
	return open_changed(registered + offset, &value, bytes, NULL);
}

static void refused(size_t offset, size_t bytes, uint32_t value, const char *sentence)
{
	expect(-EINVAL, with(offset, bytes, value), sentence);
	says(sentence);
}

static void all_is_taken_as_it_is(void)
{
	const struct spin_registration *reg = &spin_object__meta(object)->registration;

	expect(16, reg->puts, "puts");
	expect(8, reg->scratchpad_bytes, "the scratchpad's size");
	expect(64, reg->fragmentation_bytes, "fragmentation_bytes");
	expect(256, reg->user_header_bytes, "user_header_bytes");
	expect(1 << 22, reg->budget, "the budget");
}

static void a_budget_has_its_most(void)
{
	expect(0, with(FIELD(budget), 0), "no budget");
	expect(0, with(FIELD(budget), 1), "a budget of one step");
	refused(FIELD(budget), SPIN_BUDGET_MAX + 1, "registers .budget = 4194305: at most 4194304 steps");
	refused(FIELD(budget), UINT32_MAX, "at most 4194304 steps");
}

static void pieces_are_powers_of_two(void)
{
	for (unsigned unit = 0; unit <= 2 * SPIN_FRAGMENTATION_MAX; unit++) {
		if (unit <= SPIN_FRAGMENTATION_MAX && !(unit & (unit - 1)))
			expect(0, with(FIELD(fragmentation_bytes), unit), "a power of two");
		else
			refused(FIELD(fragmentation_bytes), unit, "a power of two, at most 64");
	}
	refused(FIELD(user_header_bytes), 32, ".user_header_bytes = 32 with .fragmentation_bytes = 64");
	says("make it a multiple");
	expect(0, with(FIELD(user_header_bytes), 128), "a user header of two pieces");
	expect(0, with(FIELD(user_header_bytes), 0), "no user header");
}

static void pieces_are_for_messages(void)
{
	char name[512];
	struct spin_object *messages = object, *datagrams;
	size_t at, bytes;

	if (built_object("sum", name, sizeof(name)) || spin_object__open(name, &datagrams))
		fail("sum");
	object = datagrams;
	if (spin_elf__section(object->data, object->bytes, SPIN_META_SECTION, &at, &bytes))
		fail("the description of sum");
	registered = at + offsetof(struct spin_meta, registration);
	refused(FIELD(fragmentation_bytes), 8, ".fragmentation_bytes, which is for messages");
	expect(0, with(FIELD(fragmentation_bytes), 1), "pieces of one byte of datagrams");
	expect(0, with(FIELD(budget), SPIN_BUDGET_MAX), "a budget of datagrams");
	expect(0, spin_object__meta(object)->registration.puts, "puts of handlers without SPIN_PUTS");
	spin_object__close(datagrams);
	object = messages;
}

static void puts_are_from_1_to_16(void)
{
	for (uint32_t puts = 0; puts <= 20; puts++) {
		struct spin_registration reg = { 0 };
		int err = open_changed(puts_at, &puts, sizeof(puts), &reg);

		expect(puts >= 1 && puts <= SPIN_PUTS_MAX ? 0 : -EINVAL, err, "a number of packets to send");
		if (!err)
			expect(puts, reg.puts, "as many as were registered");
		else
			says("is damaged: the number of packets that it sends");
	}
	refused(FIELD(puts), 1, "leave that to SPIN_PUTS(n)");
}

static void an_older_description_is_told_as_such(void)
{
	const uint16_t older = SPIN_API_VERSION - 1, newer = SPIN_API_VERSION + 1;
	size_t version = registered - offsetof(struct spin_meta, registration) + offsetof(struct spin_meta, api_version);

	expect(-EINVAL, open_changed(version, &older, sizeof(older), NULL), "an older object");
	says("compile it again with spincc");
	says("was made for handler API 2, this is 3");
	expect(-ENOTSUP, open_changed(version, &newer, sizeof(newer), NULL), "a newer object");
}

int main(void)
{
	size_t at, bytes;
	char name[512];
	int fd = mkstemp(path);

	if (fd < 0)
		fail("a temporary file");
	close(fd);
	atexit(remove_path);
	if (built_object("registers_all", name, sizeof(name)) || spin_object__open(name, &object))
		fail("registers_all");
	if (spin_elf__section(object->data, object->bytes, SPIN_META_SECTION, &at, &bytes) || bytes < sizeof(struct spin_meta) ||
	    spin_elf__section(object->data, object->bytes, SPIN_PUTS_SECTION, &puts_at, &bytes) || bytes != 4)
		fail("the sections");
	all_is_taken_as_it_is();
	registered = at + offsetof(struct spin_meta, registration);
	a_budget_has_its_most();
	pieces_are_powers_of_two();
	puts_are_from_1_to_16();
	an_older_description_is_told_as_such();
	pieces_are_for_messages();
	spin_object__close(object);
	return 0;
}
