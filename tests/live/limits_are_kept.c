/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the limits that libspin reports for an interface (libspin_hpu.h: state and memory of handlers, host memory, messages in flight,
 * matching entries, contexts, ...): a context that uses exactly the limit must work, and one more must be refused with a message that names
 * the maximum. A missing capability must be refused by its name. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/common/built.h"
#include "tests/common/expect.h"
#include "tests/common/net/netns.h"
#include "tests/common/damaged_object.h"
#include "user/conformance/template/template.h"
#include <spin/libspin_hpu.h>
#include <spin/libspin_message.h>
#include "kernel/probe.h"

static struct spin_nic *nic;
static struct spin_object *all, *datagrams, *messages;
static struct spin_rule rule;
static struct spin_ni_limits limits = { .bytes = sizeof(limits) };

static struct spin_ctx_opts message_opts(struct spin_message_opts message)
{
	return (struct spin_ctx_opts){ .bytes = sizeof(struct spin_ctx_opts), .message = message };
}

static void expect_served(const struct spin_object *object, struct spin_ctx_opts opts, const char *what)
{
	struct spin_ctx *ctx;

	expect(0, spin_ctx__create_opts(nic, object, &rule, &opts, &ctx), what);
	expect(0, spin_ctx__attach(ctx), what);
	spin_ctx__destroy(ctx);
}

static void expect_refused(const struct spin_object *object, struct spin_ctx_opts opts, int err, const char *reason)
{
	struct spin_ctx *ctx;

	expect(err, spin_ctx__create_opts(nic, object, &rule, &opts, &ctx), reason);
	expect_error_text(reason);
}

static void registered_refused(size_t field, size_t bytes, uint32_t value, const char *reason)
{
	struct spin_object *changed;

	expect(-EINVAL, damaged_registration(all, field, bytes, value, &changed), reason);
	expect_error_text(reason);
}

/* registers_all uses the maximum of all of these. */
static void what_is_registered(void)
{
	const struct spin_registration *reg = &spin_object__meta(all)->registration;

	expect(limits.max_user_hdr_size, reg->user_header_bytes, "the longest user header");
	expect(limits.max_fragmentation_limit, reg->fragmentation_bytes, "the largest pieces");
	expect(limits.max_budget, reg->budget, "the largest budget");
	expect(limits.max_puts, reg->puts, "the most puts");
	expect(1, limits.min_fragmentation_limit, "what holds without a registration");
	expect_served(all, message_opts((struct spin_message_opts){ 0 }), "all that can be registered");
	registered_refused(REGISTERED(user_header_bytes), limits.max_user_hdr_size + 1, "at most 256");
	registered_refused(REGISTERED(fragmentation_bytes), limits.max_fragmentation_limit * 2, "at most 64");
	registered_refused(REGISTERED(budget), limits.max_budget + 1, "at most 4194304");
}

static void memory_of_handlers(void)
{
	struct spin_object *big = built_open("big_memory");
	struct spin_ctx_opts opts = { .bytes = sizeof(opts) };
	static uint32_t state[(1u << 20) / 4 + 1];
	struct spin_hpu_mem *mem;
	struct spin_ctx *ctx;
	uint32_t *at;
	size_t bytes;

	expect(limits.max_initial_state, spin_object__meta(big)->state_bytes, "the largest state");
	state[limits.max_initial_state / 4 - 1] = 77;
	opts.initial_state = state;
	opts.initial_state_bytes = limits.max_initial_state;
	expect(0, spin_ctx__create_opts(nic, big, &rule, &opts, &ctx), "all the memory that handlers can have");
	expect(0, spin_ctx__symbol(ctx, "spin_state", (void **)&at, &bytes), "its state");
	expect(77, at[bytes / 4 - 1], "the last word of the largest initial state");
	expect(0, spin_ctx__symbol(ctx, "rows", (void **)&at, &bytes), "its table");
	expect((long long)limits.max_handler_mem, (long long)(bytes + spin_object__meta(big)->state_bytes), "of both");
	spin_ctx__destroy(ctx);
	opts.initial_state_bytes++;
	expect_refused(big, opts, -E2BIG, "the limit (max_initial_state) is 1048576");
	expect(0, spin_hpu_mem__alloc(nic, limits.max_handler_mem, &mem), "the largest HPU memory");
	opts = (struct spin_ctx_opts){ .bytes = sizeof(opts), .hpu_mem = mem };
	expect_served(big, opts, "a context with it");
	spin_hpu_mem__free(mem);
	expect(-E2BIG, spin_hpu_mem__alloc(nic, limits.max_handler_mem + 1, &mem), "one byte more");
	expect_error_text("the limit (max_handler_mem) is 4194304");
	spin_object__close(big);
}

static void messages_and_entries(void)
{
	struct spin_ctx_opts opts = message_opts((struct spin_message_opts){ .messages = limits.max_messages, .no_entry = 1 });
	struct spin_segment segment[64] = { { 0 } };
	struct spin_me_opts entry = { .bytes = sizeof(entry), .handler_mem = segment };
	struct spin_ctx *ctx;
	unsigned me;

	for (unsigned i = 0; i < sizeof(segment) / sizeof(segment[0]); i++)
		segment[i].length = 8;
	entry.handler_segments = limits.max_iovecs;
	expect(0, spin_ctx__create_opts(nic, messages, &rule, &opts, &ctx), "the most messages in flight");
	for (unsigned i = 0; i < limits.max_entries; i++)
		expect(0, spin_ctx__me_append(ctx, &entry, &me), "an entry with the most segments");
	expect(-ENOSPC, spin_ctx__me_append(ctx, &entry, &me), "an entry more");
	expect_error_text("has 64 matching entries, the most");
	expect(0, spin_ctx__me_unlink(ctx, 0), "unlinking");
	entry.handler_segments++;
	expect(-EINVAL, spin_ctx__me_append(ctx, &entry, &me), "a segment more");
	expect_error_text("17 segments of handler memory: an entry has at most 16");
	spin_ctx__destroy(ctx);
	opts.message.messages++;
	expect_refused(messages, opts, -EINVAL, "message.messages is 4097, but a context has at most 4096");
	expect_served(messages, message_opts((struct spin_message_opts){ .host_bytes = limits.max_host_mem }), "the most host memory");
	expect_refused(messages, message_opts((struct spin_message_opts){ .host_bytes = limits.max_host_mem + 1 }), -EINVAL,
		       "message.host_bytes is 268435457, but a context has at most 268435456");
	expect_refused(datagrams, message_opts((struct spin_message_opts){ .host_bytes = limits.max_host_mem + 1 }), -EINVAL,
		       "at most 268435456");
}

static void contexts_of_an_interface(void)
{
	struct spin_ctx *ctx[SPIN_CONTEXTS_MAX + 1];
	char text[64];

	for (unsigned i = 0; i <= limits.max_contexts; i++) {
		struct spin_rule mine;

		snprintf(text, sizeof(text), "udp dport %u", 9000 + i);
		expect(0, spin_rule__parse(text, &mine), text);
		expect(0, spin_ctx__create(nic, datagrams, &mine, &ctx[i]), "a context");
		expect(i < limits.max_contexts ? 0 : -ENOSPC, spin_ctx__attach(ctx[i]), "attaching a context");
	}
	expect_error_text("has 64 contexts, the most");
	for (unsigned i = 0; i <= limits.max_contexts; i++)
		spin_ctx__destroy(ctx[i]);
}

static uint64_t counted(const struct spin_ctx *ctx, enum spin_reason reason)
{
	uint64_t packets[SPIN_REASON_COUNT];

	spin_ctx__counters(ctx, packets);
	return packets[reason];
}

/* Runs a datagram of `bytes` bytes through the interface's program, as if received from the wire. */
static void datagram(uint32_t bytes)
{
	static struct template t;
	static uint8_t out[ENGINE_FRAME_MAX];
	struct spin_run_result result;
	char fill[32];

	template_start(&t);
	snprintf(fill, sizeof(fill), "fill %u 1", bytes);
	if (template_line(&t, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 || template_line(&t, "ip4 10.0.0.1 > 10.0.0.2") != 1 ||
	    template_line(&t, "udp 4000 > 9000") != 1 || template_line(&t, fill) != 1 || template_finish(&t))
		fail(engine_error());
	expect(0, spin_nic__run(nic, t.frame, t.bytes, 1, out, sizeof(out), &result), "a datagram");
}

static void payload_of_a_packet(void)
{
	struct spin_ni_limits now = { .bytes = sizeof(now) };
	uint64_t others[SPIN_REASON_COUNT];
	struct spin_ctx *ctx;

	expect(1500 - 28, limits.max_payload_size, "the payload at an MTU of 1500");
	netns_shell("ip link set v0 mtu 1300");
	expect(0, spin_nic__limits(nic, &now), "limits again");
	expect(1300 - 28, now.max_payload_size, "the payload at an MTU of 1300");
	netns_shell("ip link set v0 mtu 10000");
	expect(0, spin_nic__limits(nic, &now), "limits again");
	expect((kernel_probe__copies() ? SPIN_IP_BYTES_MAX : 3500) - 28, now.max_payload_size, "the payload at an MTU of 10000");
	expect(0, spin_ctx__create(nic, datagrams, &rule, &ctx), "a context");
	netns_shell("ip link set v0 mtu 3000");
	expect(0, spin_ctx__attach(ctx), "attaching");
	datagram(now.max_payload_size);
	expect(1, (long long)counted(ctx, SPIN_REASON_SUCCESS), "the longest datagram");
	datagram(now.max_payload_size + 1);
	spin_nic__counters(nic, others);
	expect(1, (long long)(others[SPIN_REASON_TOO_LONG] + counted(ctx, SPIN_REASON_TOO_LONG)), "one byte more");
	spin_ctx__destroy(ctx);
	netns_shell("ip link set v0 mtu 1500");
}

static void hpus(void)
{
	struct spin_ctx_opts opts = { .bytes = sizeof(opts), .hpu_count = SPIN_HPUS_MAX + 1 };

	expect(libbpf_num_possible_cpus(), limits.num_hpus, "HPUs");
	expect_refused(datagrams, opts, -EINVAL, "hpu_count is 257, but a context has at most 256 HPUs");
}

static void needs(const struct spin_object *object, uint32_t capabilities, const char *missing)
{
	struct spin_ctx_opts opts = { .bytes = sizeof(opts), .capabilities = capabilities };

	if (missing)
		expect_refused(object, opts, -ENOTSUP, missing);
	else
		expect_served(object, opts, "capabilities that it has");
}

static void capabilities(void)
{
	const uint32_t both = SPIN_CAP_MESSAGE_MATCHING | SPIN_CAP_HEADER_FIRST | SPIN_CAP_BUDGET | SPIN_CAP_ISOLATION;
	uint32_t of_datagrams = spin_nic__capabilities(nic, SPIN_DELIVER_STACK);
	uint32_t message_caps = spin_nic__capabilities(nic, SPIN_DELIVER_ME);

	expect(both, of_datagrams & ~(uint32_t)SPIN_CAP_FORWARD, "capabilities of datagrams");
	expect(both | SPIN_CAP_NO_DUPLICATES | SPIN_CAP_RELIABLE, message_caps & ~(uint32_t)SPIN_CAP_FORWARD, "capabilities of messages");
	expect(0, spin_nic__capabilities(NULL, SPIN_DELIVER_ME) & SPIN_CAP_FORWARD, "forwarding without an interface");
	for (uint32_t bit = 1; bit <= SPIN_CAP_FORWARD << 1; bit <<= 1) {
		char missing[64];

		snprintf(missing, sizeof(missing), "do not have %s", spin_capability_name(bit));
		needs(datagrams, bit, of_datagrams & bit ? NULL : missing);
		needs(messages, bit, message_caps & bit ? NULL : missing);
	}
	needs(datagrams, of_datagrams, NULL);
	needs(messages, message_caps, NULL);
	needs(datagrams, both | SPIN_CAP_RELIABLE | SPIN_CAP_NO_DUPLICATES | SPIN_CAP_IN_ORDER,
	      "contexts of datagrams on v0 do not have no_duplicates, reliable, in_order");
	needs(messages, 1u << 31, "do not have unknown");
	if (strcmp(spin_capability_name(SPIN_CAP_HEADER_FIRST), "header_first") || strcmp(spin_capability_name(3), "unknown"))
		fail("names of capabilities");
}

static void another_size_and_no_interface(void)
{
	struct spin_ni_limits few = { .bytes = offsetof(struct spin_ni_limits, max_handler_mem), .max_handler_mem = 5 };

	expect(0, spin_nic__limits(NULL, &few), "an older program's struct");
	expect(SPIN_IP_BYTES_MAX - 28, few.max_payload_size, "the payload on any interface");
	expect(5, (long long)few.max_handler_mem, "what lies behind its struct");
	few.bytes = 1;
	expect(-EINVAL, spin_nic__limits(NULL, &few), "a struct without a size");
	netns_shell("ip link del v0");
	few.bytes = sizeof(few);
	expect(-ENODEV, spin_nic__limits(nic, &few), "an interface that is gone");
	expect(0, spin_nic__capabilities(nic, SPIN_DELIVER_ME) & SPIN_CAP_FORWARD, "forwarding on it");
}

int main(void)
{
	netns_new();
	all = built_open("registers_all");
	datagrams = built_open("count_datagram");
	messages = built_open("msg_copy");
	netns_shell("ip link add v0 type veth peer name v1 && ip link set v0 up && ip link set v1 up");
	expect(0, spin_rule__parse("udp", &rule), "a rule");
	expect(0, spin_nic__open("v0", &nic), "v0");
	expect(0, spin_nic__limits(nic, &limits), "limits");
	what_is_registered();
	memory_of_handlers();
	messages_and_entries();
	contexts_of_an_interface();
	payload_of_a_packet();
	hpus();
	capabilities();
	another_size_and_no_interface();
	spin_nic__close(nic);
	return 0;
}
