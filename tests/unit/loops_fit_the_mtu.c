/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests handlers on kernels without may_goto (Linux 6.1 to 6.8), whose verifier follows each piece of a loop over a packet. A handler whose
 * loops are then too much for it must load for packets of the interface's MTU, say so (spin_ctx__longest_packet()), have the same results
 * for these as the host build, and leave longer ones to the host, counted. At a large MTU it must be refused. Other handlers must take all
 * packets. The programs for such kernels are tested on any kernel. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/common/built.h"
#include "tests/common/counts.h"
#include "tests/common/expect.h"
#include "tests/common/loads/bounded_loops.h"
#include "tests/common/net/netns.h"
#include "tests/common/random.h"
#include "user/conformance/template/template.h"
#include "user/libspin/share.h"
#include <spin/libspin.h>

#include "tests/loops/loops.h"

#define IP_AND_UDP_BYTES 28u
#define MTU              1500u
#define LARGE            "loops_order" /* too much for the verifier with longer packets */
#define SMALL            "loops_sums"

static struct template frame;

static void make_frame(uint32_t payload_bytes, uint64_t *random)
{
	uint8_t payload[2048];

	random_fill(random, payload, payload_bytes);
	template_start(&frame);
	if (template_line(&frame, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 ||
	    template_line(&frame, "ip4 10.0.0.1 > 10.0.0.2") != 1 || template_line(&frame, "udp 4000 > 9000 sum none") != 1 ||
	    template_append(&frame, payload, payload_bytes) || template_finish(&frame))
		fail(engine_error());
}

static int create(struct spin_nic *nic, const char *handler, struct spin_ctx **out)
{
	struct spin_object *object = built_open(handler);
	struct spin_rule rule;
	int err = spin_rule__parse("udp", &rule);

	if (!err)
		err = spin_ctx__create(nic, object, &rule, out);
	spin_object__close(object);
	return err;
}

/* The host build must agree on packets of all lengths that end at, or near, an edge of the loop. */
static void check_results(struct spin_ctx *ctx, struct engine *host)
{
	static const uint32_t lengths[] = {
		1, 3, 4, 63, 64, 65, 127, 128, 129, 1000, 1407, 1408, 1409, 1466, 1468, 1469, 1470, 1471, 1472
	};
	const volatile struct loops *state;
	static struct engine_out unused;
	struct spin_run_result result;
	uint8_t out[2048];
	uint64_t random = 5;
	struct loops want;
	size_t bytes;

	expect(0, spin_ctx__symbol(ctx, "spin_state", (void **)&state, &bytes), "the state");
	expect(sizeof(*state), bytes, "the state's size");
	for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		make_frame(lengths[i], &random);
		expect(0, spin_ctx__run(ctx, frame.frame, frame.bytes, 1, out, sizeof(out), &result), "a packet");
		expect(0, host->ops->packet(host, frame.frame, frame.bytes, &unused), "a packet on the host");
		expect(0, host->ops->read(host, "spin_state", 0, &want, sizeof(want)), "the host's state");
		for (unsigned r = 0; r < LOOPS_RESULTS; r++)
			if (state->result[r] != want.result[r])
				fail("a result is not the host's");
	}
	expect(sizeof(lengths) / sizeof(lengths[0]), counts_of(ctx, SPIN_REASON_SUCCESS), "packets that were handled");
}

static void check_given_packets(void)
{
	const struct engine_context context = { .rule = { .protocol = 17 } };
	struct spin_run_result result;
	struct engine *host;
	struct built built;
	uint8_t out[2048];
	uint64_t random = 7;
	struct spin_ctx *ctx;

	expect(0, built_handler(LARGE, &built), LARGE);
	expect(0, engine_open(ENGINE_HOST, &built.handler, &context, &host), "the host build");
	expect(0, create(NULL, LARGE, &ctx), "a handler with large loops");
	expect(MTU, spin_ctx__longest_packet(ctx), "its longest packet");
	check_results(ctx, host);
	make_frame(MTU - IP_AND_UDP_BYTES + 1, &random);
	expect(0, spin_ctx__run(ctx, frame.frame, frame.bytes, 1, out, sizeof(out), &result), "a longer packet");
	expect(SPIN_VERDICT_PASS, result.verdict, "the verdict of a longer packet");
	expect(1, counts_of(ctx, SPIN_REASON_TOO_LONG), "longer packets");
	spin_ctx__destroy(ctx);
	engine_close(host);
}

/* Pieces whose size divides no chunk: 12 and 68 bytes. */
static void check_other_pieces(void)
{
	static const char *const handlers[] = { "walk_pieces", "walk_with" };
	struct spin_ctx *ctx;

	for (unsigned i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
		expect(0, create(NULL, handlers[i], &ctx), handlers[i]);
		expect(1, spin_ctx__longest_packet(ctx) > MTU, "it takes all packets");
		spin_ctx__destroy(ctx);
	}
}

static void check_interfaces(void)
{
	struct spin_ctx *ctx, *other;
	struct spin_object *large;
	struct spin_rule rule;
	struct spin_nic *nic;

	expect(0, spin_nic__open("near0", &nic), "an interface");
	expect(0, create(nic, SMALL, &other), "a handler with small loops");
	expect(1, spin_ctx__longest_packet(other) > 3 * MTU / 2, "it takes all packets");
	netns_shell("ip link set near0 mtu 1400");
	expect(0, create(nic, LARGE, &ctx), "a handler with large loops at an interface");
	expect(1400, spin_ctx__longest_packet(ctx), "the interface's MTU");
	netns_shell("ip link set near0 mtu 1500");
	large = built_open(LARGE);
	expect(0, spin_ctx__swap(ctx, large), "the same handlers at a larger MTU");
	expect(MTU, spin_ctx__longest_packet(ctx), "the larger MTU");
	netns_shell("ip link set near0 mtu 3498");
	expect(0, spin_rule__parse("udp dport 9000", &rule), "another rule");
	expect(0, spin_ctx__set_rule(ctx, &rule), "the same handlers with another rule");
	expect(MTU, spin_ctx__longest_packet(ctx), "the MTU with which they were loaded");
	spin_ctx__destroy(ctx);
	expect(-ENOSYS, create(nic, LARGE, &ctx), "a handler with large loops at a large MTU");
	expect_error_text("an MTU of 1500");
	spin_object__close(large);
	spin_ctx__destroy(other);
	spin_nic__close(nic);
}

/* A context of spind is created for its first interface, which is lo if there is one, and is on others. */
static void check_several_interfaces(void)
{
	struct spin_object *large = built_open(LARGE);
	struct spin_nic *nics[2];
	struct spin_rule rule;
	struct spin_ctx *ctx;

	expect(0, spin_nic__open("lo", &nics[0]), "lo");
	expect(0, spin_nic__open("near0", &nics[1]), "an interface");
	netns_shell("ip link set near0 mtu 1300");
	expect(0, spin_rule__parse("udp", &rule), "a rule");
	expect(-ENOSYS, share__create(nics, 1, large, &rule, NULL, NULL, &ctx), "a handler with large loops on lo");
	expect(0, share__create(nics, 2, large, &rule, NULL, NULL, &ctx), "a handler with large loops on lo and another interface");
	expect(1300, spin_ctx__longest_packet(ctx), "the other interface's MTU");
	expect(0, spin_ctx__attach(ctx), "the first interface");
	expect(0, spin_ctx__attach_also(ctx, nics[1]), "the other interface");
	spin_ctx__destroy(ctx);
	spin_nic__close(nics[1]);
	spin_nic__close(nics[0]);
	spin_object__close(large);
}

int main(void)
{
	netns_new();
	netns_shell("ip link add name near0 type veth peer name far0");
	check_given_packets();
	check_other_pieces();
	check_interfaces();
	check_several_interfaces();
	return 0;
}
