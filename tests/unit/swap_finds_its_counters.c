/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that after spin_ctx__swap(), which replaces a context's handlers, packets are counted where the context's counters are read. In
 * spincc's objects the counters always have the same offset, so the test makes an object where they have another: to swap to it must be
 * refused. Programs with bounded loops (for kernels without may_goto, or too large for the verifier) may replace those without, and vice
 * versa. They cannot see streams, so with them spin_connections_missed() must grow with each datagram. Run by tests/run.
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/common/built.h"
#include "tests/common/damaged_object.h"
#include "tests/common/expect.h"
#include "tests/common/loads/bounded_loops.h"
#include "tests/common/net/lines.h"
#include "tests/reference/frame.h"

/* Finds a symbol, and returns the file offset of its value. */
static size_t value_at(const struct spin_object *object, const char *name, Elf64_Sym *out)
{
	size_t symbols, symbols_bytes, names, names_bytes;

	if (spin_elf__section(object->data, object->bytes, ".symtab", &symbols, &symbols_bytes) ||
	    spin_elf__section(object->data, object->bytes, ".strtab", &names, &names_bytes))
		fail("the symbols");
	for (size_t at = 0; at + sizeof(Elf64_Sym) <= symbols_bytes; at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;

		memcpy(&symbol, object->data + symbols + at, sizeof(symbol));
		if (symbol.st_name >= names_bytes || strcmp((const char *)object->data + names + symbol.st_name, name))
			continue;
		*out = symbol;
		return symbols + at + offsetof(Elf64_Sym, st_value);
	}
	fail(name);
}

static struct spin_object *with_value(struct spin_object *object, size_t at, uint64_t value)
{
	struct spin_object *changed;

	expect(0, damaged_open(object, at, &value, sizeof(value), &changed), "an object with another symbol");
	return changed;
}

static struct spin_object *with_counters_moved(struct spin_object *object)
{
	Elf64_Sym counters, loads;
	const size_t counters_at = value_at(object, "spin_counters", &counters), loads_at = value_at(object, "spin_cpu_loads", &loads);
	struct spin_object *half, *moved;

	if (counters.st_value || loads.st_value != counters.st_size)
		fail("the runtime's variables lie elsewhere: change this test");
	half = with_value(object, loads_at, 0);
	moved = with_value(half, counters_at, loads.st_size);
	spin_object__close(half);
	return moved;
}

static uint64_t run_one(struct spin_ctx *ctx)
{
	uint8_t frame[60] = { [12] = 0x08, [13] = 0x06 }, out[256]; /* ARP: matches no context, and is counted as such */
	uint64_t packets[SPIN_REASON_COUNT], sum = 0;
	struct spin_run_result result;

	expect(0, spin_ctx__run(ctx, frame, sizeof(frame), 1, out, sizeof(out), &result), "a packet");
	spin_ctx__counters(ctx, packets);
	for (int i = 0; i < SPIN_REASON_COUNT; i++)
		sum += packets[i];
	return sum;
}

static int bounded; /* 1: simulates a kernel without may_goto */

int __real_kernel_probe__may_goto(void);
int __real_kernel_probe__copies(void);

int __wrap_kernel_probe__may_goto(void)
{
	return !bounded && __real_kernel_probe__may_goto();
}

int __wrap_kernel_probe__copies(void)
{
	return !bounded && __real_kernel_probe__copies();
}

/* Swaps from one variant of an object's programs to the other, and back. */
static void swap_variants(const struct spin_object *object, const struct spin_rule *rule)
{
	struct spin_ctx *ctx;

	for (int first = 0; first < 2; first++) {
		bounded = first;
		expect(0, spin_ctx__create(NULL, object, rule, &ctx), "a context");
		expect(1, (long long)run_one(ctx), "packets counted");
		bounded = !first;
		expect(0, spin_ctx__swap(ctx, object), "the other variant");
		expect(2, (long long)run_one(ctx), "packets counted by the other variant");
		bounded = first;
		expect(0, spin_ctx__swap(ctx, object), "the first variant again");
		expect(3, (long long)run_one(ctx), "packets counted by the first variant again");
		spin_ctx__destroy(ctx);
	}
	bounded = 0;
}

/* Returns spin_connections_missed() as a datagram's handlers see it. */
static uint32_t missed(struct spin_ctx *ctx)
{
	struct frame_flow flow = { .ip_version = 4, .src = { 10, 0, 0, 1 }, .dst = { 10, 0, 0, 2 }, .src_port = 4000, .dst_port = 9000 };
	const struct lines *state = lines__state(ctx);
	const uint32_t datagrams = lines__load(&state->datagrams);
	uint8_t frame[256] = { 0 }, out[256];
	struct spin_run_result result;

	expect(0, spin_ctx__run(ctx, frame, frame_finish(frame, &flow, 32, FRAME_SUM_RIGHT), 1, out, sizeof(out), &result), "a datagram");
	expect(datagrams + 1, lines__load(&state->datagrams), "datagrams that handlers ran for");
	return lines__load(&state->missed);
}

/* Programs with bounded loops cannot see streams, so the number grows with each datagram. Other programs know that there was no stream. */
static void see_no_connection(const struct spin_rule *rule)
{
	struct spin_object *object = built_open("lines");
	struct spin_ctx *ctx;
	uint32_t before;

	for (bounded = 0; bounded < 2; bounded++) {
		expect(0, spin_ctx__create(NULL, object, rule, &ctx), "a context");
		before = missed(ctx);
		expect(before + !__wrap_kernel_probe__may_goto(), missed(ctx),
		       bounded ? "missed, with bounded loops" : "missed, where there is no stream");
		spin_ctx__destroy(ctx);
	}
	bounded = 0;
	spin_object__close(object);
}

int main(void)
{
	struct spin_object *object, *moved;
	struct spin_rule rule;
	struct spin_ctx *ctx;

	skip_unless_root();
	object = built_open("counter");
	moved = with_counters_moved(object);
	expect(0, spin_rule__parse("udp dport 9000", &rule), "a rule");

	/* the object with moved counters must work on its own: it counts where its own context reads */
	expect(0, spin_ctx__create(NULL, moved, &rule, &ctx), "a context");
	expect(1, (long long)run_one(ctx), "packets counted in the other place");
	spin_ctx__destroy(ctx);

	expect(0, spin_ctx__create(NULL, object, &rule, &ctx), "a context");
	expect(1, (long long)run_one(ctx), "packets counted");
	expect(0, spin_ctx__swap(ctx, object), "the same handlers");
	expect(2, (long long)run_one(ctx), "packets counted after a swap");
	expect(-EINVAL, spin_ctx__swap(ctx, moved), "counters in another place");
	expect_error_text("'spin_counters'");
	expect(3, (long long)run_one(ctx), "packets counted after the refusal");
	spin_ctx__destroy(ctx);
	swap_variants(object, &rule);
	see_no_connection(&rule);
	spin_object__close(moved);
	spin_object__close(object);
	return 0;
}
