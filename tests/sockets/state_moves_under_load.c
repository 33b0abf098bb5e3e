/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests spin_ctx__migrate() while packets arrive on all CPUs at full speed: handlers are replaced by handlers whose state has another
 * layout, back and forth. Each packet must have been handled once, and what its handlers wrote must be kept: a sum and a large table, which
 * several CPUs update, and two words that are always written together under a lock, and compared by each packet. Some handlers run long
 * before they write, so a migration that does not wait for them loses their writes. Run by tests/run.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "kernel/cpus.h"
#include "tests/common/counts.h"
#include "tests/common/expect.h"
#include "tests/common/net/slow.h"
#include "tests/common/traffic/migration_handler.h"

#define MOVES   20
#define RUNNERS 8
#define BATCH   2000

#define SLOTS "262144"
#define TABLE "SPIN_TABLE(slots, struct slot, " SLOTS ");"

/* Handlers that run long write to the entry that is moved first. */
#define COUNT                                           \
	"uint32_t at = spin_random32(p) & 262143;\n"    \
	"if (at < 256) {\n"                             \
	"	SPIN_FOR(p, i, 0, 300000)\n"                  \
	"		__asm__ volatile(\"\");\n"                   \
	"	at = 0;\n"                                    \
	"}\n"                                           \
	"struct slot *slot = SPIN_AT(slots, at);\n"     \
	"if (slot)\n"                                   \
	"	spin_count(&slot->hits, 1);\n"                \
	"spin_add32((uint32_t *)&state->packets, 1);\n" \
	"SPIN_LOCKED(p, &state->lock) {\n"              \
	"	if (state->one != state->two)\n"              \
	"		state->torn++;\n"                            \
	"	state->one++;\n"                              \
	"	state->two++;\n"                              \
	"}\n"

/* A table of a megabyte, so that packets arrive while it is moved. No field becomes narrower, so the migration can be reversed. */
static const struct moving_source narrow = { "struct slot { SPIN_COUNTER(hits); };\n" TABLE,
					     "uint32_t packets, one; struct spin_lock lock; uint32_t two, torn;", ".one = 0", COUNT };
static const struct moving_source wide = { "struct slot { SPIN_READ_ONLY(uint32_t, unused); SPIN_COUNTER(hits); };\n" TABLE,
					   "uint64_t torn, two, one, packets; struct spin_lock lock; uint32_t unused[5];", ".one = 0",
					   COUNT };
static const struct moving_source other = { "struct slot { SPIN_COUNTER(hits); SPIN_READ_ONLY(uint32_t, other); };\n" TABLE,
					    "struct spin_lock lock; uint64_t packets, one, two, torn;", ".one = 0", COUNT };

static struct spin_nic *nic;
static volatile int ended;
static uint64_t sent[RUNNERS];

static void *run_packets(void *arg)
{
	uint64_t *count = arg;
	struct spin_run_result result;
	uint8_t frame[64], out[256];
	const uint32_t bytes = migration_handler__frame(frame);

	while (!ended) {
		if (spin_nic__run(nic, frame, bytes, BATCH, out, sizeof(out), &result) || result.verdict != SPIN_VERDICT_PASS)
			fail("packets");
		*count += BATCH;
	}
	return NULL;
}

static int add_up(void *arg, const struct spin_field *field)
{
	*(uint64_t *)arg += field->value;
	return 0;
}

static void expect_all(struct spin_ctx *ctx, uint64_t all)
{
	uint64_t spread = 0;

	expect((long long)all, (long long)counts_of(ctx, SPIN_REASON_SUCCESS), "packets handled");
	expect((long long)(uint32_t)all, (long long)(uint32_t)migration_handler__field(ctx, "spin_state.packets"),
	       "packets that were added up");
	expect((long long)(uint32_t)all, (long long)(uint32_t)migration_handler__field(ctx, "spin_state.one"), "packets that had the lock");
	expect((long long)(uint32_t)all, (long long)(uint32_t)migration_handler__field(ctx, "spin_state.two"), "packets that had the lock");
	expect(0, (long long)migration_handler__field(ctx, "spin_state.torn"), "packets that saw half of another's work");
	expect(0, spin_ctx__fields(ctx, "slots", 0, add_up, &spread), "the table");
	expect((long long)all, (long long)spread, "packets that are in the table");
}

int main(void)
{
	const unsigned runners = kernel_cpus__possible() < RUNNERS ? (unsigned)kernel_cpus__possible() : RUNNERS;
	const unsigned moves = (unsigned)slow_rounds(MOVES);
	struct spin_object *first, *objects[2];
	uint64_t longest_ns = 0, late = 0, all = 0;
	unsigned moved = 0, tries = 0;
	pthread_t thread[RUNNERS];
	struct spin_rule rule;
	struct spin_ctx *ctx;

	skip_unless_root();
	first = migration_handler__compile(&narrow);
	objects[0] = migration_handler__compile(&wide);
	objects[1] = migration_handler__compile(&other);
	expect(0, spin_nic__open_offline(&nic), "an interface");
	expect(0, spin_rule__parse("udp dport 9000", &rule), "a rule");
	expect(0, spin_ctx__create(nic, first, &rule, &ctx), "a context");
	expect(0, spin_ctx__attach(ctx), "attaching it");
	for (unsigned i = 0; i < runners; i++)
		if (pthread_create(&thread[i], NULL, run_packets, &sent[i]))
			fail("a thread");
	for (unsigned i = 0; i < moves; i++) {
		struct spin_migration report = { .bytes = sizeof(report) };
		const int err = spin_ctx__migrate(ctx, objects[i % 2], &report);

		if (err == -EAGAIN) /* as documented: a CPU is never without packets */
			continue;
		expect(0, err, "moving");
		moved++;
		tries += report.tries;
		late += report.late_bytes;
		longest_ns = report.wait_ns > longest_ns ? report.wait_ns : longest_ns;
	}
	ended = 1;
	for (unsigned i = 0; i < runners; i++) {
		pthread_join(thread[i], NULL);
		all += sent[i];
	}
	printf("%llu packets: moved %u of %u times, in %u tries, %llu bytes late, longest wait %llu us\n", (unsigned long long)all, moved,
	       moves, tries, (unsigned long long)late, (unsigned long long)longest_ns / 1000);
	expect_all(ctx, all);
	if (!moved || !late)
		fail("nothing was moved under load");
	spin_ctx__destroy(ctx);
	spin_nic__close(nic);
	spin_object__close(objects[1]);
	spin_object__close(objects[0]);
	spin_object__close(first);
	return 0;
}
