/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Attaches an XDP program that only passes packets to the far end of a veth (xdp_pass.h): native XDP on the near end can send frames back
 * only then. Called by tests, benchmarks and the demo. A failure ends the test.
 */
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "tests/common/net/xdp_pass.h"

int xdp_pass__attach(const char *dev)
{
	static const struct bpf_insn pass[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int prog = bpf_prog_load(BPF_PROG_TYPE_XDP, "test_pass", "Dual BSD/GPL", pass, 2, NULL);
	int link = prog < 0 ? prog : bpf_link_create(prog, (int)if_nametoindex(dev), BPF_XDP, NULL);

	if (link < 0) {
		printf("FAIL: no XDP program on %s\n", dev);
		exit(1);
	}
	close(prog);
	return link;
}
