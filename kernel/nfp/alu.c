/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The part of the NFP checker (walk.c) for opcodes and arithmetic: what the NFP card's driver refuses of them, and the values afterwards.
 * Called by walk.c for each instruction. Factors, dividends and divisors are checked before the instruction takes effect, because that is
 * when the kernel calls the driver's hook.
 */
#include "kernel/nfp/walk.h"

#define OFFSET_MAX (1 << 29) /* BPF_MAX_VAR_OFF */

/* --- opcodes --- */

/* Reports opcodes that the driver's table lacks, and those that its JIT translates wrongly. Returns 1 if the path ends. */
int nfp_walk__check_opcode(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn)
{
	int class = BPF_CLASS(insn->code), op = BPF_OP(insn->code), is_x = BPF_SRC(insn->code) == BPF_X;

	switch (class) {
	case BPF_ALU:
	case BPF_ALU64:
		if (op == BPF_END && class == BPF_ALU64)
			nfp_walk__find(w, s, NFP_RULE_MCPU_V4, "bswap is an instruction of -mcpu=v4");
		else if (op == BPF_END && !is_x)
			nfp_walk__find(w, s, NFP_RULE_HTOLE, "the driver has no conversion to little-endian");
		else if ((op == BPF_DIV || op == BPF_MOD) && insn->off)
			nfp_walk__find(w, s, NFP_RULE_MCPU_V4, "signed division is of -mcpu=v4, and the JIT would divide unsigned");
		else if (op == BPF_MOV && insn->off)
			nfp_walk__find(w, s, NFP_RULE_MCPU_V4, "a move with sign extension is of -mcpu=v4, and the JIT would not extend");
		else if (op == BPF_MOD)
			nfp_walk__find(w, s, NFP_RULE_MODULO, "the driver has no modulo");
		else if (op > BPF_END) {
			nfp_walk__find(w, s, NFP_RULE_OPCODE, "opcode 0x%02x is not an operation", insn->code);
			return 1;
		}
		return 0;
	case BPF_JMP32:
		if (op == BPF_JA) {
			nfp_walk__find(w, s, NFP_RULE_MCPU_V4, "a long jump is of -mcpu=v4");
			return 1;
		}
		/* fall through */
	case BPF_JMP:
		if (op > BPF_JSLE || (class == BPF_JMP32 && (op == BPF_CALL || op == BPF_EXIT))) {
			nfp_walk__find(w, s, NFP_RULE_OPCODE, "jump 0x%02x is unknown to the driver (may_goto, for one, is newer)",
				       insn->code);
			return 1;
		}
		return 0;
	case BPF_LD:
		if (insn->code == (BPF_LD | BPF_IMM | BPF_DW))
			return 0;
		nfp_walk__find(w, s, NFP_RULE_PACKET_LOAD, "the kernel has no such loads in XDP programs");
		return 1;
	case BPF_LDX:
		if (BPF_MODE(insn->code) == BPF_MEM)
			return 0;
		nfp_walk__find(w, s, NFP_RULE_MCPU_V4, "a load with sign extension is of -mcpu=v4");
		return 1;
	case BPF_STX:
		if (BPF_MODE(insn->code) == BPF_MEM ||
		    (BPF_MODE(insn->code) == BPF_ATOMIC && BPF_SIZE(insn->code) != BPF_B && BPF_SIZE(insn->code) != BPF_H))
			return 0;
		break;
	default: /* BPF_ST */
		if (BPF_MODE(insn->code) == BPF_MEM)
			return 0;
	}
	nfp_walk__find(w, s, NFP_RULE_OPCODE, "opcode 0x%02x is unknown to the driver", insn->code);
	return 1;
}

/* --- arithmetic --- */

/*
 * The driver's hook. If it refuses the value of a number only on a later visit, the verdict is unknown: the kernel may have pruned that
 * visit, because it ignores differences in numbers that nothing has relied on.
 */
static void check_operands(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn)
{
	struct nfp_meta *m = &w->meta[s->insn];
	const struct nfp_scalar *src = &nfp_state__reg(s, insn->src_reg)->n, *dst = &nfp_state__reg(s, insn->dst_reg)->n;
	enum nfp_verdict verdict = m->visits == 1 ? NFP_REJECT : NFP_UNKNOWN;
	int op = BPF_OP(insn->code), is_x = BPF_SRC(insn->code) == BPF_X;

	if (m->visits == 1) {
		m->umin_src = m->umin_dst = UINT64_MAX;
		m->umax_src = m->umax_dst = 0;
	}
	m->umin_src = src->umin < m->umin_src ? src->umin : m->umin_src;
	m->umax_src = src->umax > m->umax_src ? src->umax : m->umax_src;
	m->umin_dst = dst->umin < m->umin_dst ? dst->umin : m->umin_dst;
	m->umax_dst = dst->umax > m->umax_dst ? dst->umax : m->umax_dst;
	if (op == BPF_MUL) {
		if (m->umax_dst > UINT32_MAX || (is_x && m->umax_src > UINT32_MAX))
			nfp_walk__find_as(w, s, NFP_RULE_MULTIPLY, verdict, "the verifier of Linux %s knows R%u only to be at most 0x%llx",
					  nfp_kernel__name(w->kernel), m->umax_dst > UINT32_MAX ? insn->dst_reg : insn->src_reg,
					  (unsigned long long)(m->umax_dst > UINT32_MAX ? m->umax_dst : m->umax_src));
		else if (!is_x && BPF_CLASS(insn->code) == BPF_ALU64 && insn->imm < 0)
			nfp_walk__find(w, s, NFP_RULE_MULTIPLY, "the factor %d is negative", insn->imm);
	} else if (op == BPF_DIV) {
		if (m->umax_dst > UINT32_MAX)
			nfp_walk__find_as(w, s, NFP_RULE_DIVIDEND, verdict, "the verifier of Linux %s knows R%u only to be at most 0x%llx",
					  nfp_kernel__name(w->kernel), insn->dst_reg, (unsigned long long)m->umax_dst);
		if (is_x && (m->umin_src != m->umax_src || m->umax_src > UINT32_MAX))
			nfp_walk__find_as(w, s, NFP_RULE_DIVISOR, verdict, "the divisor R%u is not one constant below 2^32", insn->src_reg);
		else if (!is_x && insn->imm < 0)
			nfp_walk__find(w, s, NFP_RULE_DIVISOR, "the divisor %d is negative", insn->imm);
	}
}

static int refuse_arithmetic(struct nfp_walk *w, struct nfp_state *s, const char *what, enum nfp_type type)
{
	nfp_walk__find(w, s, NFP_RULE_POINTER_ARITHMETIC, "%s %s", what, nfp_type__name(type));
	return 1;
}

/* Computes pointer +- number into the destination register. */
static int add_to_pointer(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn, struct nfp_reg pointer,
			  const struct nfp_scalar *number, int pointer_is_dst)
{
	int op = BPF_OP(insn->code);
	struct nfp_reg *to = nfp_state__reg(s, insn->dst_reg);

	if (pointer.type == NFP_VALUE_OR_NULL) {
		nfp_walk__find(w, s, NFP_RULE_NULL_CHECK, "it computes with a value that may be NULL");
		return 1;
	}
	if (BPF_CLASS(insn->code) != BPF_ALU64)
		return refuse_arithmetic(w, s, "32-bit arithmetic on a pointer to", pointer.type);
	if (pointer.type == NFP_PACKET_END || pointer.type == NFP_MAP || pointer.type == NFP_OTHER)
		return refuse_arithmetic(w, s, "arithmetic on a pointer to", pointer.type);
	if (op != BPF_ADD && (op != BPF_SUB || !pointer_is_dst || pointer.type == NFP_STACK))
		return refuse_arithmetic(w, s, "no such arithmetic is allowed on a pointer to", pointer.type);
	if (number->smin == INT64_MIN || number->smin >= OFFSET_MAX || number->smin <= -OFFSET_MAX)
		return refuse_arithmetic(w, s, "a number without a lower bound is added to a pointer to", pointer.type);
	*to = pointer;
	to->half_def = 0;
	if (nfp_scalar__is_constant(number)) {
		int64_t off = pointer.off + (op == BPF_ADD ? (int64_t)number->value : -(int64_t)number->value);

		if (off >= OFFSET_MAX || off <= -OFFSET_MAX)
			return refuse_arithmetic(w, s, "too large a number is added to a pointer to", pointer.type);
		to->off = (int32_t)off;
		return 0;
	}
	nfp_scalar__alu(w->kernel, op, 1, &to->n, number);
	if (to->n.smin == INT64_MIN || to->n.smin >= OFFSET_MAX || to->n.smin <= -OFFSET_MAX)
		return refuse_arithmetic(w, s, "a number without bounds is added to a pointer to", pointer.type);
	if (pointer.type == NFP_PACKET) {
		to->id = ++w->next_id;
		to->range = 0;
	}
	return 0;
}

/* Copies of a number share an id, so that a comparison of one also bounds the others; 32-bit copies do so from kernel 6.12 on. */
static int move(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn)
{
	int all = BPF_CLASS(insn->code) == BPF_ALU64;
	struct nfp_reg *to = nfp_state__reg(s, insn->dst_reg), *from;
	int end;

	if (BPF_SRC(insn->code) == BPF_K) {
		*to = (struct nfp_reg){ .type = NFP_SCALAR, .half_def = all ? 0 : (uint32_t)s->insn + 1 };
		nfp_scalar__set(&to->n, all ? (uint64_t)(int64_t)insn->imm : (uint32_t)insn->imm);
		return 0;
	}
	end = nfp_walk__read(w, s, insn->src_reg, all);
	if (end)
		return end;
	from = nfp_state__reg(s, insn->src_reg);
	if (insn->off) { /* with sign extension: the opcode check has refused it */
		nfp_walk__mark_unknown(w, s, insn->dst_reg, all ? 8 : 4);
		return 0;
	}
	if (all) {
		if (from->type == NFP_SCALAR && !from->id && !nfp_scalar__is_constant(&from->n))
			from->id = ++w->next_id;
		*to = *from;
		to->half_def = 0;
		return 0;
	}
	if (from->type != NFP_SCALAR) { /* allowed for root; the number is unknown */
		nfp_walk__mark_unknown(w, s, insn->dst_reg, 4);
		return 0;
	}
	if (from->n.umax <= UINT32_MAX && w->kernel >= NFP_KERNEL_6_12 && !from->id && !nfp_scalar__is_constant(&from->n))
		from->id = ++w->next_id;
	*to = *from;
	if (to->n.umax > UINT32_MAX || w->kernel < NFP_KERNEL_6_12)
		to->id = 0;
	to->half_def = (uint32_t)s->insn + 1;
	nfp_scalar__truncate32(w->kernel, &to->n);
	return 0;
}

int nfp_walk__alu(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn)
{
	int op = BPF_OP(insn->code), all = BPF_CLASS(insn->code) == BPF_ALU64, is_x = BPF_SRC(insn->code) == BPF_X, end = 0;
	struct nfp_reg *to = nfp_state__reg(s, insn->dst_reg), from = { .type = NFP_SCALAR };

	check_operands(w, s, insn);
	if (op == BPF_MOV)
		return move(w, s, insn);
	if (op == BPF_END)
		all = insn->imm == 64;
	if (is_x && op != BPF_END)
		end = nfp_walk__read(w, s, insn->src_reg, all);
	if (!end)
		end = nfp_walk__read(w, s, insn->dst_reg, all);
	if (end)
		return end;
	if (op == BPF_END || op == BPF_NEG) {
		if (to->type != NFP_SCALAR)
			return refuse_arithmetic(w, s, "no such arithmetic is allowed on a pointer to", to->type);
		nfp_walk__mark_unknown(w, s, insn->dst_reg, 8); /* the verifier forgets all bits, even after a 16-bit swap */
		to->half_def = all ? 0 : (uint32_t)s->insn + 1;
		return 0;
	}
	if (is_x)
		from = *nfp_state__reg(s, insn->src_reg);
	else
		nfp_scalar__set(&from.n, (uint64_t)(int64_t)insn->imm);
	if (from.type != NFP_SCALAR && to->type != NFP_SCALAR) {
		if (op != BPF_SUB)
			return refuse_arithmetic(w, s, "two pointers are combined, one to", to->type);
		nfp_walk__mark_unknown(w, s, insn->dst_reg, 8);
		return 0;
	}
	if (from.type != NFP_SCALAR) {
		struct nfp_scalar number = to->n;

		return add_to_pointer(w, s, insn, from, &number, 0);
	}
	if (to->type != NFP_SCALAR)
		return add_to_pointer(w, s, insn, *to, &from.n, 1);
	if ((op == BPF_DIV || op == BPF_MOD) && !is_x && !insn->imm) {
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "it divides by 0");
		return 1;
	}
	if ((op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH) && !is_x && (uint32_t)insn->imm >= (all ? 64u : 32u)) {
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "it shifts by %d", insn->imm);
		return 1;
	}
	nfp_scalar__alu(w->kernel, op, all, &to->n, &from.n);
	to->id = 0;
	to->half_def = all ? 0 : (uint32_t)s->insn + 1;
	return 0;
}
