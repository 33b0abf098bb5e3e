/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Widens 32-bit stores to the stack in isolated programs. The compiler may store a 32-bit number where a dead pointer was. Without
 * CAP_PERFMON the verifier takes that for an attempt to corrupt the pointer, and requires all 64 bits to be overwritten. Called by class.c
 * before a program is loaded. A store is widened only if the upper half is dead, so results do not change; all targets are little-endian.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/bpf.h>

#include "user/libspin/internal.h"
#include "user/libspin/object/work_limit.h"

#define SLOTS   64 /* 8-byte slots of the whole stack */
#define STORE32 (BPF_STX | BPF_MEM | BPF_W)
#define STORE64 (BPF_STX | BPF_MEM | BPF_DW)
#define COPY64  (BPF_ALU64 | BPF_MOV | BPF_X)
#define ADD64   (BPF_ALU64 | BPF_ADD | BPF_K)

static int is_wide(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}

static int access_bytes(const struct bpf_insn *insn)
{
	switch (BPF_SIZE(insn->code)) {
	case BPF_B:
		return 1;
	case BPF_H:
		return 2;
	case BPF_W:
		return 4;
	default:
		return 8;
	}
}

/* Returns the slots whose upper half an access touches; `whole`: covers. */
static uint64_t upper_halves(const struct bpf_insn *insn, int whole)
{
	int from = insn->off + SLOTS * 8, to = from + access_bytes(insn), slot = from / 8;

	if (from < 0 || to > SLOTS * 8 || slot >= SLOTS)
		return 0;
	if (whole ? from > slot * 8 + 4 || to < slot * 8 + 8 : to <= slot * 8 + 4)
		return 0;
	return 1ull << slot;
}

/* Returns the slots that pointers to the stack may reach: each pointer may move upwards from where it is created. */
static uint64_t slots_behind_pointers(const struct bpf_insn *insns, size_t count)
{
	uint64_t slots = 0;

	for (size_t i = 0; i < count; i += is_wide(&insns[i]) ? 2 : 1) {
		int at = 0;

		if (insns[i].code != COPY64 || insns[i].src_reg != BPF_REG_10)
			continue;
		if (i + 1 < count && insns[i + 1].code == ADD64 && insns[i + 1].dst_reg == insns[i].dst_reg)
			at = insns[i + 1].imm / 8 + SLOTS - (insns[i + 1].imm % 8 != 0);
		slots |= at > 0 && at < SLOTS ? ~0ull << at : ~0ull;
	}
	return slots;
}

/*
 * One backward step of the liveness analysis. `live`: the upper halves of stack slots that are read after the instruction; returns those
 * that are read from it on.
 */
static uint64_t live_before(const struct bpf_insn *insn, uint64_t live)
{
	int class = BPF_CLASS(insn->code);

	if ((class == BPF_STX || class == BPF_ST) && insn->dst_reg == BPF_REG_10 && BPF_MODE(insn->code) == BPF_MEM)
		return live & ~upper_halves(insn, 1);
	if (class == BPF_STX && insn->dst_reg == BPF_REG_10) /* an atomic store also reads */
		return live | upper_halves(insn, 0);
	if (class == BPF_LDX && insn->src_reg == BPF_REG_10)
		return live | upper_halves(insn, 0);
	return live;
}

/* live[i]: the slots whose upper half is read by something that may follow instruction i. */
static int find_live(const struct bpf_insn *insns, size_t count, uint64_t *live)
{
	for (int changed = 1, passes = WORK_PASSES_MAX; changed; passes--) {
		if (!passes)
			return -1;
		changed = 0;
		for (size_t i = count; i-- > 0;) {
			const struct bpf_insn *insn = &insns[i];
			int jump = BPF_CLASS(insn->code) == BPF_JMP || BPF_CLASS(insn->code) == BPF_JMP32;
			int op = BPF_OP(insn->code);
			uint64_t after = 0;
			size_t next = i + (is_wide(insn) ? 2 : 1), to = i + 1 + (size_t)(long)insn->off;

			if (jump && op == BPF_EXIT)
				continue;
			if (!(jump && op == BPF_JA) && next < count)
				after |= live_before(&insns[next], live[next]);
			if (jump && op != BPF_CALL && to < count)
				after |= live_before(&insns[to], live[to]);
			changed |= after != live[i];
			live[i] = after;
		}
	}
	return 0;
}

int spill__widen(struct bpf_program *prog)
{
	const struct work_code code = { .name = bpf_program__name(prog) };
	size_t count = bpf_program__insn_cnt(prog);
	struct bpf_insn *insns = malloc(count * sizeof(*insns));
	uint64_t *live = calloc(count, sizeof(*live)), pointed;
	int err = -ENOMEM;

	if (insns && live) {
		memcpy(insns, bpf_program__insns(prog), count * sizeof(*insns));
		pointed = slots_behind_pointers(insns, count);
		err = find_live(insns, count, live) ? work_limit__refuse(&code, WORK_TOO_LONG) : 0;
		for (size_t i = 0; i < count && !err; i += is_wide(&insns[i]) ? 2 : 1) {
			int slot = insns[i].off / 8 + SLOTS;

			if (insns[i].code == STORE32 && insns[i].dst_reg == BPF_REG_10 && insns[i].off % 8 == 0 && slot >= 0 &&
			    slot < SLOTS && !((pointed | live[i]) >> slot & 1))
				insns[i].code = STORE64;
		}
		if (!err)
			err = bpf_program__set_insns(prog, insns, count);
	}
	free(insns);
	free(live);
	return err;
}
