/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests the guards (bpf/guard.bpf.c, bpf/guard_tcp.bpf.c), which check what handlers on a user's socket have done to a packet. Here
 * programs that spincc would not generate take the handlers' place: each changes bytes of the frame, and returns an action or an invalid
 * number. A frame may be passed on if it still goes to the same socket, and a datagram be sent back to its sender; everything else must be
 * dropped. Uses PROG_TEST_RUN, through the dispatcher. Run by tests/run.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "kernel/probe.h"
#include "tests/common/built.h"
#include "tests/common/net/udp_hosts.h"
#include "tests/common/proc.h"
#include "user/conformance/template/template.h"
#include "user/libspin/guard.h"
#include "user/libspin/internal.h"

#define PORT "7000"

/* Bytes that a program stores; a store of 0 bytes ends the list. */
struct store {
	uint8_t at, bytes, value[8];
};
#define STORES_MAX 5

struct change {
	const char *name;
	int goes_on, goes_back; /* 1: the frame may leave with XDP_PASS, or XDP_TX */
	struct store store[STORES_MAX];
};

/* clang-format off */
/* Stores that send the frame back; the arguments are the last byte of its new destination station, source, destination and port. */
#define BOTH_ENDS(station, src, dst, port)            \
	{                                             \
		{ 0, 6, { 2, 0, 0, 0, 0, station } }, \
		{ 6, 6, { 2, 0, 0, 0, 0, 2 } },       \
		{ 26, 4, { 127, 0, 0, src } },        \
		{ 30, 4, { 10, 0, 0, dst } },         \
		{ 34, 4, { 0x1b, 0x58, 0x0f, port } } \
	}

/* To any socket. */
static const struct change common_changes[] = {
	{ "nothing", 1, 0, { { 0 } } },
	{ "both ends, to another address", 0, 0, BOTH_ENDS(1, 1, 9, 0xa0) },
	{ "both ends, from another address", 0, 0, BOTH_ENDS(1, 9, 1, 0xa0) },
	{ "both ends, to another port", 0, 0, BOTH_ENDS(1, 1, 1, 0xa1) },
	{ "both ends, to another station", 0, 0, BOTH_ENDS(9, 1, 1, 0xa0) },
	{ "the destination port", 0, 0, { { 36, 2, { 0x1b, 0x59 } } } },
	{ "the source port", 0, 0, { { 34, 2, { 1, 1 } } } },
	{ "the destination", 0, 0, { { 30, 4, { 127, 0, 0, 2 } } } },
	{ "the source", 0, 0, { { 26, 4, { 10, 0, 0, 9 } } } },
	{ "the destination station", 0, 0, { { 0, 6, { 2, 0, 0, 0, 0, 9 } } } },
	{ "the source station", 0, 0, { { 6, 6, { 2, 0, 0, 0, 0, 9 } } } },
	{ "the type, to a VLAN's", 0, 0, { { 12, 6, { 0x81, 0, 0, 5, 8, 0 } } } },
	{ "the length of the IP header", 0, 0, { { 14, 1, { 0x46 } } } },
	{ NULL, 0, 0, { { 0 } } },
};

static const struct change datagram_changes[] = {
	{ "the payload", 1, 0, { { 44, 4, "abcd" } } },
	{ "both ends", 0, 1, BOTH_ENDS(1, 1, 1, 0xa0) },
	{ "the protocol", 0, 0, { { 23, 1, { 6 } } } },
	{ NULL, 0, 0, { { 0 } } },
};

/* Of a SYN with data. */
static const struct change segment_changes[] = {
	{ "the payload", 1, 0, { { 58, 4, "abcd" } } },
	{ "the checksum", 1, 0, { { 50, 2, "ab" } } },
	{ "the sequence number", 0, 0, { { 41, 1, { 77 } } } },
	{ "the acknowledgement", 0, 0, { { 45, 1, { 77 } } } },
	{ "the length of TCP's header", 0, 0, { { 46, 1, { 0x60 } } } },
	{ "the flags", 0, 0, { { 47, 1, { 0x12 } } } },
	{ "the window", 0, 0, { { 48, 2, { 1, 1 } } } },
	{ "the urgent pointer", 0, 0, { { 52, 2, { 1, 1 } } } },
	{ "the length of the IP packet", 0, 0, { { 16, 2, { 0, 60 } } } },
	{ "both ends", 0, 0, BOTH_ENDS(1, 1, 1, 0xa0) },
	{ "the protocol", 0, 0, { { 23, 1, { 17 } } } },
	{ NULL, 0, 0, { { 0 } } },
};
/* clang-format on */

static const struct kind {
	const char *name, *handler, *rule, *header;
	int type;
	const struct change *changes; /* in addition to common_changes */
} kinds[] = {
	{ "datagrams", "filtering", "udp dst 127.0.0.1 dport " PORT, "udp 4000 > " PORT, SOCK_DGRAM, datagram_changes },
	{ "segments", "seg_socket", "tcp dst 127.0.0.1 dport " PORT, "tcp 4000 > " PORT " seq 1 flags SYN", SOCK_STREAM, segment_changes },
};

/* Without XDP_ABORTED, which also drops, and which libspin reports as an error. */
static const int actions[] = { -1, XDP_DROP, XDP_PASS, XDP_TX, XDP_REDIRECT, 5, 77, 0x10002 };

static int load(const struct change *change, int action)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_XDP,
		    .prog_flags = kernel_probe__fragments() ? BPF_F_XDP_HAS_FRAGS : 0);
	struct bpf_insn code[128], *at = code;
	int fd;

	*at++ = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 6, .src_reg = 1 };
	for (const struct store *store = change->store; store < change->store + STORES_MAX && store->bytes; store++) {
		for (int i = 0; i < store->bytes; i++)
			*at++ = (struct bpf_insn){
				.code = BPF_ST | BPF_MEM | BPF_B, .dst_reg = 10, .off = (int16_t)(i - 8), .imm = store->value[i]
			};
		*at++ = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 1, .src_reg = 6 };
		*at++ = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = store->at };
		*at++ = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 3, .src_reg = 10 };
		*at++ = (struct bpf_insn){ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 3, .imm = -8 };
		*at++ = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 4, .imm = store->bytes };
		*at++ = (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_xdp_store_bytes };
	}
	*at++ = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = action };
	*at++ = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "foreign", "GPL", code, (size_t)(at - code), &opts);
	if (fd < 0)
		die("%s, action %d: cannot load: %s", change->name, action, strerror(-fd));
	return fd;
}

static void make_packet(const struct kind *kind, struct template *packet)
{
	template_start(packet);
	if (template_line(packet, "eth 02:00:00:00:00:01 > 02:00:00:00:00:02") != 1 ||
	    template_line(packet, "ip4 10.0.0.1 > 127.0.0.1") != 1 || template_line(packet, kind->header) != 1 ||
	    template_line(packet, "fill 32 0") != 1 || template_finish(packet))
		die("packet: %s", engine_error());
}

static enum spin_verdict expected(const struct change *change, int action)
{
	if ((action == XDP_PASS || action == -1) && change->goes_on)
		return SPIN_VERDICT_PASS;
	return action == XDP_TX && change->goes_back ? SPIN_VERDICT_TX : SPIN_VERDICT_DROP;
}

static int open_socket(const struct kind *kind)
{
	int fd = socket(AF_INET, kind->type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		die("no socket: %s", strerror(errno));
	udp_hosts__bind(fd, "127.0.0.1", 7000);
	if (kind->type == SOCK_STREAM && listen(fd, 1))
		die("cannot listen: %s", strerror(errno));
	return fd;
}

/* Runs a program for each change and action. Returns their number. */
static unsigned run_changes(const struct kind *kind, const struct change *changes, struct spin_nic *nic, struct spin_ctx *ctx)
{
	struct template packet;
	unsigned checks = 0;

	make_packet(kind, &packet);
	for (const struct change *change = changes; change->name; change++)
		for (size_t a = 0; a < sizeof(actions) / sizeof(actions[0]); a++) {
			const int prog_fd = load(change, actions[a]);
			struct spin_run_result result;
			uint8_t out[2048];

			if (guard__replace(ctx->guard, prog_fd) ||
			    spin_nic__run(nic, packet.frame, packet.bytes, 1, out, sizeof(out), &result))
				die("%s", spin_strerror_last());
			if (result.verdict != expected(change, actions[a]))
				die("%s: a program changes %s and returns %d: %s, not %s", kind->name, change->name, actions[a],
				    spin_verdict_name(result.verdict), spin_verdict_name(expected(change, actions[a])));
			close(prog_fd);
			checks++;
		}
	return checks;
}

static void run_programs(const struct kind *kind, struct spin_nic *nic, struct spin_ctx *ctx)
{
	const unsigned checks = run_changes(kind, common_changes, nic, ctx) + run_changes(kind, kind->changes, nic, ctx);

	printf("%s: %u programs are held\n", kind->name, checks);
}

static void check_kind(const struct kind *kind)
{
	const struct spin_ctx_opts opts = { .bytes = sizeof(opts), .class = SPIN_CLASS_TRUSTED };
	const int fd = open_socket(kind);
	struct spin_object *obj = built_open(kind->handler);
	struct spin_guards guards;
	struct spin_nic *nic;
	struct spin_ctx *ctx;
	struct spin_rule rule;

	if (spin_rule__parse(kind->rule, &rule) || spin_nic__open_offline(&nic) || spin_ctx__create_opts(nic, obj, &rule, &opts, &ctx) ||
	    spin_guards__open(&guards, 0, 0) || spin_guard__install(ctx, fd, &guards) || spin_ctx__attach(ctx))
		die("%s", spin_strerror_last());
	run_programs(kind, nic, ctx);
	spin_ctx__destroy(ctx);
	spin_guards__close(&guards);
	spin_nic__close(nic);
	spin_object__close(obj);
	close(fd);
}

int main(void)
{
	struct udp_hosts hosts;

	udp_hosts__hosts(&hosts);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].type == SOCK_STREAM && !kernel_probe__may_goto())
			printf("%s: not on this kernel\n", kinds[i].name);
		else
			check_kind(&kinds[i]);
	}
	return 0;
}
