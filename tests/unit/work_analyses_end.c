/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tests that libspin's analysis of a program ends. To limit the time of a packet in the isolated class, libspin analyses a program's jumps
 * before it loads it (user/libspin/object/work_limit.h). Jumps back, one after the other, take a pass each: a program with 100 must be
 * analysed, and one with 4,000 be refused, as more than WORK_PASSES_MAX passes. The stack's analysis accepts 4,000 that are never reached;
 * the liveness analysis visits these also, and refuses them. Run by tests/run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/bpf.h>

#include <spin/libspin.h>
#include "user/libspin/object/work_limit.h"

#define CHAIN_MAX 4000

static struct bpf_insn insns[CHAIN_MAX + 4];

/* r6 = 0; enters the chain at its last jump, or skips it; each jump leads to the one before, the first one behind the chain; returns r6. */
static struct work_code chain(int16_t jumps, int is_reached)
{
	const struct bpf_insn jump = { .code = BPF_JMP | BPF_JA };
	size_t count = 0;

	insns[count++] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_6 };
	insns[count] = jump;
	insns[count++].off = (int16_t)(is_reached ? jumps - 1 : jumps);
	for (int16_t i = 0; i < jumps; i++) {
		insns[count] = jump;
		insns[count++].off = (int16_t)(i ? -2 : jumps - 1);
	}
	insns[count++] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X, .src_reg = BPF_REG_6 };
	insns[count++] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	return (struct work_code){ .name = "chain", .insns = insns, .count = count };
}

static int failed;

static void expect(const char *what, int err, int refused)
{
	if (err != (refused ? -EINVAL : 0) || (refused && !strstr(spin_strerror_last(), WORK_TOO_LONG))) {
		printf("FAIL  %s: %d, %s\n", what, err, err ? spin_strerror_last() : "accepted");
		failed = 1;
	}
}

int main(void)
{
	struct work_code code = chain(100, 1);

	expect("the stack of 100 jumps", work_stack__check(&code), 0);
	expect("liveness of 100 jumps", work_stack__live(&code), 0);
	free(code.live);
	code = chain(CHAIN_MAX, 1);
	expect("the stack of 4,000 jumps", work_stack__check(&code), 1);
	code = chain(CHAIN_MAX, 0);
	expect("the stack of 4,000 jumps that are never reached", work_stack__check(&code), 0);
	expect("liveness of 4,000 jumps that are never reached", work_stack__live(&code), 1);
	free(code.live);
	return failed;
}
