/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests spin_ctx__migrate(): what is copied into another layout, what gets its initial value, what is reported as lost, and what is refused
 * while the old handlers continue. Objects with false type information must be refused or moved as described, without damage.
 * Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/btf.h>

#include <bpf/btf.h>

#include "tests/common/built.h"
#include "tests/common/damaged_object.h"
#include "tests/common/counts.h"
#include "tests/common/expect.h"
#include "tests/common/random.h"
#include "tests/common/traffic/migration_handler.h"

#define DAMAGES 400

#define ITEM                                     \
	"struct item { SPIN_KEY(uint32_t, key);" \
	" SPIN_READ_ONLY(uint32_t, value); SPIN_COUNTER(hits); };\n"
#define COUNT "spin_add32(&state->packets, 1);"

static const struct moving_source old_source = {
	ITEM "struct slot { SPIN_COUNTER(hits); SPIN_READ_ONLY(uint32_t, weight); };\n"
	     "SPIN_TABLE(items, struct item, 16);\nSPIN_TABLE(slots, struct slot, 8);\nSPIN_TABLE(left, struct slot, 2);",
	"uint32_t packets; uint16_t limit; spin_be16 port; struct { uint32_t low, high; } range; int32_t offset;"
	" uint32_t gone; uint64_t series[6]; union { uint32_t word; uint8_t byte[4]; } mixed;",
	".limit = 7, .offset = -5", COUNT
};

/* Fields in another order, wider, in longer arrays; a counter becomes a number, and a number a counter. */
static const struct moving_source new_source = {
	"struct item { SPIN_KEY(uint32_t, key); SPIN_COUNTER(misses); SPIN_COUNTER(hits); SPIN_READ_ONLY(uint64_t, value); SPIN_READ_ONLY(uint32_t, pad);"
	" SPIN_READ_ONLY(uint32_t, pad2); };\n"
	"struct slot { uint64_t hits; uint32_t weight, unused; };\n"
	"SPIN_TABLE(slots, struct slot, 4);\nSPIN_TABLE(items, struct item, 64);\nSPIN_TABLE(more, struct slot, 2);",
	"union { uint32_t word; uint8_t byte[4]; } mixed; uint64_t series[9]; uint32_t added; int32_t offset; spin_be16 port;"
	" struct { uint64_t high; uint32_t low; } range; uint32_t limit; struct spin_counter packets;",
	".limit = 1, .added = 12, .series[7] = 3", "spin_count(&state->packets, 1);"
};

/* Fewer entries than are in use. */
static const struct moving_source smaller_source = { ITEM "SPIN_TABLE(items, struct item, 2);", "uint32_t packets;", ".packets = 0",
						     COUNT };
/* A field of another type. */
static const struct moving_source signed_source = { "", "int32_t packets;", ".packets = 0", "" };

static void run_packets(struct spin_ctx *ctx, unsigned count)
{
	struct spin_run_result result;
	uint8_t frame[64], out[256];
	const uint32_t bytes = migration_handler__frame(frame);

	expect(0, spin_ctx__run(ctx, frame, bytes, count, out, sizeof(out), &result), "packets");
	expect(SPIN_VERDICT_PASS, result.verdict, "the verdict");
}

static void set(struct spin_ctx *ctx, const char *assignment)
{
	expect(0, spin_ctx__set(ctx, assignment), assignment);
}

static struct spin_ctx *create(const struct spin_object *object)
{
	static const char *const assignments[] = { "spin_state.port=80", "spin_state.range.low=3",  "spin_state.range.high=4000000000",
						   "spin_state.gone=9",  "spin_state.series[0]=50", "spin_state.series[5]=0x123456789a",
						   "slots[0].hits=11",   "slots[3].weight=14",      "left[1].hits=2" };
	struct spin_rule rule;
	struct spin_ctx *ctx;
	char entry[64];

	expect(0, spin_rule__parse("udp dport 9000", &rule), "a rule");
	expect(0, spin_ctx__create(NULL, object, &rule, &ctx), "a context");
	for (unsigned i = 0; i < sizeof(assignments) / sizeof(assignments[0]); i++)
		set(ctx, assignments[i]);
	for (unsigned key = 1; key <= 9; key++) {
		snprintf(entry, sizeof(entry), "key=%u value=%u hits=%u", key * 1000, key, key * key);
		expect(0, spin_ctx__table_insert(ctx, "items", entry), entry);
	}
	run_packets(ctx, 40);
	return ctx;
}

static void expect_field(struct spin_ctx *ctx, uint64_t want, const char *path)
{
	expect((long long)want, (long long)migration_handler__field(ctx, path), path);
}

/* Returns the index of the entry with this key. */
static unsigned find_entry(struct spin_ctx *ctx, unsigned key)
{
	char path[32];

	for (unsigned i = 0; i < 64; i++) {
		snprintf(path, sizeof(path), "items[%u].key", i);
		if (migration_handler__field(ctx, path) == key)
			return i;
	}
	fail("an entry has not come along");
}

static void expect_items(struct spin_ctx *ctx)
{
	char path[32];

	for (unsigned key = 1; key <= 9; key++) {
		const unsigned place = find_entry(ctx, key * 1000);

		snprintf(path, sizeof(path), "items[%u].value", place);
		expect_field(ctx, key, path);
		snprintf(path, sizeof(path), "items[%u].hits", place);
		expect_field(ctx, key * key, path);
		snprintf(path, sizeof(path), "items[%u].misses", place);
		expect_field(ctx, 0, path);
	}
	/* the keys must be found, as handlers do */
	expect(0, spin_ctx__table_delete(ctx, "items", "key=7000"), "an entry, by its key");
	expect(-ENOENT, spin_ctx__table_delete(ctx, "items", "key=7000"), "it is gone");
}

static void moved(const struct spin_object *old, const struct spin_object *new)
{
	struct spin_migration report = { .bytes = sizeof(report) };
	struct spin_ctx *ctx = create(old);

	expect(0, spin_ctx__migrate(ctx, new, &report), "another layout");
	expect(0, strcmp(report.lost, "left, spin_state.gone") && strcmp(report.lost, "spin_state.gone, left"), report.lost);
	expect(0, (long long)report.tries, "tries while nothing runs");
	if (report.moved_bytes < 16 * 12)
		fail("too little was moved");
	expect_field(ctx, 40, "spin_state.packets");
	expect_field(ctx, 7, "spin_state.limit");
	expect_field(ctx, 80, "spin_state.port");
	expect_field(ctx, 3, "spin_state.range.low");
	expect_field(ctx, 4000000000u, "spin_state.range.high");
	expect_field(ctx, (uint32_t)-5, "spin_state.offset");
	expect_field(ctx, 50, "spin_state.series[0]");
	expect_field(ctx, 0x123456789a, "spin_state.series[5]");
	expect_field(ctx, 3, "spin_state.series[7]");
	expect_field(ctx, 12, "spin_state.added");
	expect_field(ctx, 11, "slots[0].hits");
	expect_field(ctx, 14, "slots[3].weight");
	expect_field(ctx, 0, "more[1].hits");
	expect_items(ctx);
	expect(40, (long long)counts_of(ctx, SPIN_REASON_SUCCESS), "packets counted before");
	run_packets(ctx, 2);
	expect(42, (long long)counts_of(ctx, SPIN_REASON_SUCCESS), "packets counted before and after");
	expect_field(ctx, 42, "spin_state.packets");

	/* migrate to the same layout: nothing may be lost */
	expect(0, spin_ctx__migrate(ctx, new, NULL), "the same handlers");
	expect(0, spin_ctx__swap(ctx, new), "without moving");
	expect_field(ctx, 42, "spin_state.packets");
	expect(42, (long long)counts_of(ctx, SPIN_REASON_SUCCESS), "packets counted");
	report.bytes = 0;
	expect(-EINVAL, spin_ctx__migrate(ctx, new, &report), "a report without its size");
	spin_ctx__destroy(ctx);
}

/* A refused migration must not change anything. */
static void not_moved(const struct spin_object *old)
{
	struct spin_object *smaller = migration_handler__compile(&smaller_source), *with_sign = migration_handler__compile(&signed_source);
	struct spin_ctx *ctx = create(old);

	expect(-ENOSPC, spin_ctx__migrate(ctx, smaller, NULL), "a smaller table");
	expect_error_text("no place for items[");
	expect(-EINVAL, spin_ctx__migrate(ctx, with_sign, NULL), "a field of another type");
	expect_error_text("spin_state.packets cannot be moved");
	run_packets(ctx, 1);
	expect_field(ctx, 41, "spin_state.packets");
	expect_field(ctx, 9, "spin_state.gone");
	expect(41, (long long)counts_of(ctx, SPIN_REASON_SUCCESS), "packets counted");
	spin_ctx__destroy(ctx);
	spin_object__close(with_sign);
	spin_object__close(smaller);
}

/* Returns the file offset of a type in the object's type information. */
static size_t type_at(const struct spin_object *object, size_t btf_at, const char *name, uint32_t kind)
{
	const struct btf *btf = bpf_object__btf(object->types);
	const int id = btf__find_by_name_kind(btf, name, kind);
	uint32_t bytes;

	if (id <= 0)
		fail(name);
	return btf_at + (size_t)((const char *)btf__type_by_id(btf, (uint32_t)id) - (const char *)btf__raw_data(btf, &bytes));
}

/* Overwrites words of these types: kinds, sizes, offsets, numbers of types and of members. */
static void false_type_info(const struct spin_object *old, const struct spin_object *new)
{
	static const struct {
		const char *name;
		uint32_t kind, words;
	} types[] = { { "moving", BTF_KIND_STRUCT, 30 },      { "item", BTF_KIND_STRUCT, 20 },   { "slot", BTF_KIND_STRUCT, 12 },
		      { "items", BTF_KIND_VAR, 4 },           { "spin_state", BTF_KIND_VAR, 4 }, { ".bss", BTF_KIND_DATASEC, 15 },
		      { "spin_counters", BTF_KIND_STRUCT, 6 } };
	unsigned opened = 0, went = 0;
	struct spin_ctx *ctx = NULL;
	uint64_t random = 1;
	size_t at, bytes;

	if (spin_elf__section(new->data, new->bytes, ".BTF", &at, &bytes) || bytes < 1024)
		fail("the type information");
	for (unsigned i = 0; i < DAMAGES; i++) {
		const uint32_t words[] = { 0, 1, 3, 8, 0x20, 0x1000, 0xffff, 0x04000002, 0x04000010, 0x7fffffff, UINT32_MAX };
		const size_t type = random_below(&random, sizeof(types) / sizeof(types[0]));
		const size_t where = type_at(new, at, types[type].name, types[type].kind) + 4 * random_below(&random, types[type].words);
		const uint32_t word = random_next(&random) % 2 ? words[random_below(&random, sizeof(words) / sizeof(words[0]))]
							       : random_below(&random, 300);
		struct spin_object *changed;

		if (damaged_open(new, where, &word, sizeof(word), &changed))
			continue;
		opened++;
		if (!ctx)
			ctx = create(old);
		if (spin_ctx__migrate(ctx, changed, NULL)) {
			expect_field(ctx, 40, "spin_state.packets"); /* unchanged */
		} else {
			went++;
			run_packets(ctx, 1);
			spin_ctx__destroy(ctx);
			ctx = NULL;
		}
		spin_object__close(changed);
	}
	spin_ctx__destroy(ctx);
	printf("%u objects that lie: %u are opened, %u are migrated to\n", DAMAGES, opened, went);
	if (!opened)
		fail("none of them is opened: this tests nothing");
}

int main(void)
{
	struct spin_object *old, *new;

	skip_unless_root();
	old = migration_handler__compile(&old_source);
	new = migration_handler__compile(&new_source);
	moved(old, new);
	not_moved(old);
	false_type_info(old, new);
	spin_object__close(new);
	spin_object__close(old);
	return 0;
}
