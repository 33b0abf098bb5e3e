/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests memory of clusters (<spin/cluster.h>), of which each cluster of HPUs has a copy; here each CPU has one, and adds to it. Every
 * reading function of the host returns the sum, and a write by the host sets the sum. A handler that merges gets the sum over all copies,
 * on any CPU. Needs root. Run by tests/run.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include <spin/cluster.h>

#include "tests/common/built.h"
#include "tests/common/expect.h"
#include "user/conformance/template/template.h"
#include <spin/libspin.h>

#define ROUNDS 100u

/* Same layout as in act_cluster.c. */
struct tally {
	uint32_t sum, packets;
	struct {
		uint32_t low, high;
	} half[2];
};

/* The state of act_cluster.c. */
struct merged {
	struct tally tally;
	uint32_t before, beside;
};

static struct template datagram, merge;

static void make_datagram(struct template *out, const char *words)
{
	template_start(out);
	if (template_line(out, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 || template_line(out, "ip4 10.0.0.1 > 10.0.0.2") != 1 ||
	    template_line(out, "udp 4000 > 9000") != 1 || template_line(out, words) != 1 || template_finish(out))
		fail(engine_error());
}

static void run_on(struct spin_ctx *ctx, int cpu, const struct template *packet, unsigned times)
{
	static uint8_t out[ENGINE_FRAME_MAX];
	struct spin_run_result result;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	expect(0, sched_setaffinity(0, sizeof(one), &one), "a CPU of this process's");
	for (unsigned i = 0; i < times; i++)
		expect(0, spin_ctx__run(ctx, packet->frame, packet->bytes, 1, out, sizeof(out), &result), "a datagram");
}

static int add_field(void *arg, const struct spin_field *field)
{
	uint64_t *sums = arg;

	if (!strcmp(field->path, "tally.sum"))
		sums[0] = field->value;
	if (!strcmp(field->path, "tally.half[1].low"))
		sums[1] = field->value;
	if (strchr(field->path, '[') && !strstr(field->path, "half"))
		sums[2]++;
	return 0;
}

static void is_read_as_a_sum(struct spin_ctx *ctx, unsigned datagrams)
{
	uint64_t sums[3] = { 0 };
	struct tally tally;
	uint32_t beside;

	expect(0, spin_ctx__value(ctx, "tally", &tally, sizeof(tally)), "the value");
	expect(3 * datagrams, tally.sum, "its sum");
	expect(datagrams, tally.packets, "its packets");
	expect(3 * datagrams, tally.half[1].low, "a word of a struct in an array");
	expect(0, tally.half[0].low, "a word that nobody adds to");
	expect(0, spin_ctx__value(ctx, "beside", &beside, sizeof(beside)), "the value of a word");
	expect(2 * datagrams, beside, "a variable that is one word");
	expect(0, spin_ctx__fields(ctx, "tally", 1, add_field, sums), "fields");
	expect(3 * datagrams, (long long)sums[0], "a field");
	expect(3 * datagrams, (long long)sums[1], "a field of a struct in an array");
	expect(0, (long long)sums[2], "fields of copies");
}

static void cpus_have_copies(struct spin_ctx *ctx, const cpu_set_t *cpus)
{
	const struct tally *copy;
	unsigned used = 0, adders = 0;
	size_t bytes;
	void *at;

	expect(0, spin_ctx__symbol(ctx, "tally", &at, &bytes), "all copies");
	expect(SPIN_CLUSTERS_MAX * sizeof(*copy), (long long)bytes, "the size of all copies");
	copy = at;
	for (unsigned i = 0; i < SPIN_CLUSTERS_MAX; i++)
		used += copy[i].packets != 0;
	for (int cpu = 0; cpu < SPIN_CLUSTERS_MAX; cpu++)
		adders += CPU_ISSET(cpu, cpus) != 0;
	expect(adders, used, "copies of CPUs that ran handlers");
}

/* Sends one more datagram after each merge, so that each merge has a different result. */
static void is_merged_on_every_cpu(struct spin_ctx *ctx, const cpu_set_t *cpus, unsigned datagrams)
{
	struct merged merged;

	for (int cpu = 0; cpu < SPIN_CLUSTERS_MAX; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		run_on(ctx, cpu, &merge, 1);
		expect(0, spin_ctx__value(ctx, "spin_state", &merged, sizeof(merged)), "the state");
		expect(3 * datagrams, merged.tally.sum, "the sum that a handler has");
		expect(datagrams, merged.tally.packets, "its packets");
		expect(0, merged.tally.half[0].low, "its word that nobody adds to");
		expect(3 * datagrams, merged.tally.half[1].low, "its word of a struct in an array");
		expect(2 * datagrams, merged.beside, "its variable that is one word");
		expect(7, merged.before, "the state beyond what it merged");
		run_on(ctx, cpu, &datagram, 1);
		datagrams++;
	}
}

static void is_written_as_a_sum(struct spin_ctx *ctx)
{
	struct tally tally;

	expect(0, spin_ctx__set(ctx, "tally.sum=4294967295"), "a store");
	expect(0, spin_ctx__set(ctx, "tally.half[1].low=0x10"), "a store to a struct in an array");
	expect(0, spin_ctx__value(ctx, "tally", &tally, sizeof(tally)), "the value");
	expect(4294967295u, tally.sum, "what was stored");
	expect(16, tally.half[1].low, "what was stored to a struct in an array");
}

static void wrong_calls_are_refused(struct spin_ctx *ctx)
{
	uint32_t word[16];

	expect(-EINVAL, spin_ctx__value(ctx, "tally", word, sizeof(word)), "a value of another size");
	expect_error_text("'tally' has 24 bytes, not 64");
	expect(-ENOENT, spin_ctx__value(ctx, "nothing", word, sizeof(word)), "a value of nothing");
	expect(-EINVAL, spin_ctx__table_insert(ctx, "tally", "sum=1"), "an entry of no table");
	expect_error_text("memory of clusters");
	expect(-EINVAL, spin_ctx__set(ctx, "tally[1].sum=1"), "a copy");
}

int main(void)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts) };
	struct spin_object *object;
	struct spin_rule rule;
	struct spin_ctx *ctx;
	cpu_set_t cpus;
	unsigned datagrams = 0;

	make_datagram(&datagram, "le32 0 3");
	make_datagram(&merge, "le32 1 0");
	expect(0, sched_getaffinity(0, sizeof(cpus), &cpus), "this process's CPUs");
	object = built_open("act_cluster");
	expect(0, spin_rule__parse("udp dport 9000", &rule), "a rule");
	expect(0, spin_ctx__create_opts(NULL, object, &rule, &opts, &ctx), "a context");
	for (int cpu = 0; cpu < SPIN_CLUSTERS_MAX; cpu++)
		if (CPU_ISSET(cpu, &cpus)) {
			run_on(ctx, cpu, &datagram, ROUNDS + (unsigned)cpu);
			datagrams += ROUNDS + (unsigned)cpu;
		}
	is_read_as_a_sum(ctx, datagrams);
	cpus_have_copies(ctx, &cpus);
	is_merged_on_every_cpu(ctx, &cpus, datagrams);
	is_written_as_a_sum(ctx);
	wrong_calls_are_refused(ctx);
	spin_ctx__destroy(ctx);
	spin_object__close(object);
	return 0;
}
