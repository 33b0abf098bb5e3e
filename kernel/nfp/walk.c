/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Walks all paths of a BPF program as the kernel's verifier does, to find what the NFP card's driver would refuse: order of paths, jumps,
 * constants. Called by check.c, once per kernel version. After a conditional jump the next instruction comes first and the target later, as
 * in the kernel. So the kernel certainly refuses what is refused on an instruction's first visit. It may have pruned a later visit, because
 * it compares fewer numbers than this walk does.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/nfp/liveness.h"
#include "kernel/nfp/walk.h"

#define STATES_MAX          50000u
#define STATES_COMPARED_MAX 64u     /* the most recent ones: in a long loop those of the same round */
#define PENDING_MAX         8192u   /* BPF_COMPLEXITY_LIMIT_JMP_SEQ */
#define PACKET_MAX          0xffffu /* MAX_PACKET_OFF */

void nfp_walk__mark_unknown(struct nfp_walk *w, struct nfp_state *s, unsigned reg, unsigned bytes)
{
	struct nfp_reg *r = nfp_state__reg(s, reg);

	*r = (struct nfp_reg){ .type = NFP_SCALAR, .half_def = bytes < 8 ? (uint32_t)s->insn + 1 : 0 };
	nfp_scalar__mark_unknown(&r->n);
	nfp_scalar__truncate(w->kernel, &r->n, bytes);
}

int nfp_walk__read(struct nfp_walk *w, struct nfp_state *s, unsigned reg, int all)
{
	struct nfp_reg *r;

	if (reg > 10) {
		nfp_walk__find(w, s, NFP_RULE_OPCODE, "there is no register R%u", reg);
		return 1;
	}
	r = nfp_state__reg(s, reg);
	if (r->type == NFP_NOT_INIT) {
		nfp_walk__find(w, s, NFP_RULE_UNINITIALIZED, "R%u was never written", reg);
		return 1;
	}
	if (all && r->half_def) {
		w->meta[r->half_def - 1].zext = 1;
		r->half_def = 0;
	}
	return 0;
}

/* --- loads of constants --- */

/* Loads a 64-bit constant, a map, a variable or a function. */
static int load_constant(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn)
{
	struct nfp_reg *to = nfp_state__reg(s, insn->dst_reg);

	if (s->insn + 1 >= (int)w->code->count) {
		nfp_walk__find(w, s, NFP_RULE_OPCODE, "the 64-bit load is damaged");
		return 1;
	}
	*to = (struct nfp_reg){ .type = NFP_SCALAR };
	nfp_scalar__set(&to->n, 0);
	if ((insn->src_reg == BPF_PSEUDO_MAP_FD || insn->src_reg == BPF_PSEUDO_MAP_VALUE) && (uint32_t)insn->imm >= w->object->map_count) {
		nfp_walk__find(w, s, NFP_RULE_LINK, "the load is of a map that does not exist");
		return 1;
	}
	switch (insn->src_reg) {
	case 0:
		nfp_scalar__set(&to->n, (uint32_t)insn->imm | (uint64_t)(uint32_t)insn[1].imm << 32);
		break;
	case BPF_PSEUDO_MAP_FD:
		to->type = NFP_MAP;
		to->map = (uint16_t)insn->imm;
		break;
	case BPF_PSEUDO_MAP_VALUE:
		to->type = NFP_VALUE;
		to->map = (uint16_t)insn->imm;
		to->off = insn[1].imm;
		break;
	default:
		to->type = NFP_OTHER;
	}
	w->meta[s->insn + 1].visits++;
	s->insn++;
	return 0;
}

/* --- jumps --- */

struct reg_update {
	uint32_t id;
	const struct nfp_reg *from;
	int32_t range;
	int is_null;
};

static void copy_number(void *arg, struct nfp_reg *reg)
{
	const struct reg_update *reg_update = arg;

	if (reg->type == NFP_SCALAR && reg->id == reg_update->id)
		reg->n = reg_update->from->n;
}

/* What becomes known about one copy of a number is true for all copies. */
static void update_copies(struct nfp_state *s, const struct nfp_reg *reg)
{
	struct nfp_reg known = *reg;

	if (reg->type == NFP_SCALAR && reg->id)
		nfp_state__for_each_reg(s, copy_number, &(struct reg_update){ .id = reg->id, .from = &known });
}

static void copy_range(void *arg, struct nfp_reg *reg)
{
	const struct reg_update *reg_update = arg;

	if (reg->type == NFP_PACKET && reg->id == reg_update->id && reg->range < reg_update->range)
		reg->range = reg_update->range;
}

/* Records that `reg` is at most the packet's end (`below`: less than it), in all registers with its id. */
static void set_packet_range(struct nfp_state *s, const struct nfp_reg *reg, int below)
{
	if (reg->off < 0 || (!reg->off && below) || reg->n.umax > PACKET_MAX || reg->n.umax + (uint32_t)reg->off > PACKET_MAX)
		return;
	nfp_state__for_each_reg(s, copy_range, &(struct reg_update){ .id = reg->id, .range = reg->off + below });
}

static void mark_null_or_value(void *arg, struct nfp_reg *reg)
{
	const struct reg_update *reg_update = arg;

	if (reg->type != NFP_VALUE_OR_NULL || reg->id != reg_update->id)
		return;
	reg->type = reg_update->is_null ? NFP_SCALAR : NFP_VALUE;
	reg->id = 0;
	nfp_scalar__set(&reg->n, 0);
}

/* Narrows packet ranges by a comparison with the packet's end, true if `taken`. `s` is that branch's state. */
static void refine_packet_range(struct nfp_state *s, const struct bpf_insn *insn, int taken)
{
	const struct nfp_reg *a = nfp_state__reg(s, insn->dst_reg), *b = nfp_state__reg(s, insn->src_reg);
	int op = BPF_OP(insn->code), swapped = a->type == NFP_PACKET_END;
	const struct nfp_reg packet = swapped ? *b : *a;

	if (swapped) /* as if the packet pointer were the first operand */
		op = op == BPF_JGT ? BPF_JLT : op == BPF_JLT ? BPF_JGT : op == BPF_JGE ? BPF_JLE : op == BPF_JLE ? BPF_JGE : op;
	switch (op) {
	case BPF_JGT:
		if (!taken)
			set_packet_range(s, &packet, 0);
		break;
	case BPF_JLT:
		if (taken)
			set_packet_range(s, &packet, 1);
		break;
	case BPF_JGE:
		if (!taken)
			set_packet_range(s, &packet, 1);
		break;
	case BPF_JLE:
		if (taken)
			set_packet_range(s, &packet, 0);
	}
}

static int is_packet_and_end(const struct nfp_reg *a, const struct nfp_reg *b)
{
	return (a->type == NFP_PACKET && b->type == NFP_PACKET_END) || (a->type == NFP_PACKET_END && b->type == NFP_PACKET);
}

/* Applies what a comparison says on this side of its branch to the registers, and to their copies. */
static void refine_branch(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn, int taken)
{
	int is_64 = BPF_CLASS(insn->code) == BPF_JMP, op = BPF_OP(insn->code), is_x = BPF_SRC(insn->code) == BPF_X;
	struct nfp_reg *a = nfp_state__reg(s, insn->dst_reg), *b = is_x ? nfp_state__reg(s, insn->src_reg) : NULL;
	struct nfp_scalar constant;

	if (is_x && is_packet_and_end(a, b)) {
		if (is_64)
			refine_packet_range(s, insn, taken);
		return;
	}
	if (a->type == NFP_VALUE_OR_NULL && !is_x && !insn->imm && is_64 && (op == BPF_JEQ || op == BPF_JNE)) {
		nfp_state__for_each_reg(s, mark_null_or_value, &(struct reg_update){ .id = a->id, .is_null = taken == (op == BPF_JEQ) });
		return;
	}
	if (a->type != NFP_SCALAR || (is_x && (b->type != NFP_SCALAR || a == b)))
		return;
	nfp_scalar__set(&constant, is_64 ? (uint64_t)(int64_t)insn->imm : (uint32_t)insn->imm);
	nfp_scalar__refine(w->kernel, op, is_64, taken, &a->n, is_x ? &b->n : &constant);
	update_copies(s, a);
	if (is_x)
		update_copies(s, b);
}

/* Returns 1 if the jump is taken, 0 if not, -1 if both are possible. */
static int branch_taken(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn)
{
	int is_64 = BPF_CLASS(insn->code) == BPF_JMP, op = BPF_OP(insn->code);
	const struct nfp_reg *a = nfp_state__reg(s, insn->dst_reg), *b;
	int (*is_constant)(const struct nfp_scalar *) = is_64 ? nfp_scalar__is_constant : nfp_scalar__is_constant32;
	struct nfp_scalar constant;

	nfp_scalar__set(&constant, is_64 ? (uint64_t)(int64_t)insn->imm : (uint32_t)insn->imm);
	if (BPF_SRC(insn->code) == BPF_K) {
		if (a->type == NFP_VALUE && !insn->imm && is_64 && (op == BPF_JEQ || op == BPF_JNE))
			return op == BPF_JNE;
		if (a->type != NFP_SCALAR)
			return -1;
		if (w->kernel < NFP_KERNEL_6_12 && (op == BPF_JEQ || op == BPF_JNE) && !is_constant(&a->n))
			return -1;
		return nfp_scalar__taken(op, is_64, &a->n, &constant);
	}
	b = nfp_state__reg(s, insn->src_reg);
	if (a->type != NFP_SCALAR || b->type != NFP_SCALAR)
		return -1;
	if (w->kernel < NFP_KERNEL_6_12 && !is_constant(&a->n) && !is_constant(&b->n))
		return -1;
	if (w->kernel < NFP_KERNEL_6_12 && (op == BPF_JEQ || op == BPF_JNE) && (!is_constant(&a->n) || !is_constant(&b->n)))
		return -1;
	return nfp_scalar__taken(op, is_64, &a->n, &b->n);
}

/* --- paths --- */

static int check_target(struct nfp_walk *w, struct nfp_state *s)
{
	if (s->insn < 0 || s->insn >= (int)w->code->count) {
		s->insn = s->insn < 0 ? 0 : (int)w->code->count - 1;
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "a jump leaves the program");
		return 1;
	}
	return 0;
}

static void end_path(struct nfp_state *s)
{
	for (struct nfp_visit *v = s->parent; v && !--v->branches; v = v->state.parent)
		;
	nfp_state__free(s);
}

/* Saves the state of the other branch for later. */
static int push_branch(struct nfp_walk *w, const struct nfp_state *s, int insn)
{
	struct nfp_state *to;
	int err;

	if (w->pending_count == w->pending_room) {
		unsigned room = w->pending_room ? 2 * w->pending_room : 64;
		void *more = realloc(w->pending, room * sizeof(*w->pending));

		if (!more)
			return -ENOMEM;
		w->pending = more;
		w->pending_room = room;
	}
	to = &w->pending[w->pending_count];
	err = nfp_state__copy(to, s);
	if (err)
		return err;
	to->insn = insn;
	if (to->parent)
		to->parent->branches++;
	w->pending_count++;
	return 0;
}

/* If both ways are possible, continues on one and keeps the other for later (`pending`). */
static int conditional_jump(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn)
{
	int is_64 = BPF_CLASS(insn->code) == BPF_JMP, target = s->insn + 1 + insn->off, taken, err;
	int end = nfp_walk__read(w, s, insn->dst_reg, is_64);

	if (!end && BPF_SRC(insn->code) == BPF_X)
		end = nfp_walk__read(w, s, insn->src_reg, is_64);
	if (end)
		return end;
	if (target < 0 || target >= (int)w->code->count) {
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "a jump leaves the program");
		return 1;
	}
	taken = branch_taken(w, s, insn);
	if (taken < 0) {
		if (w->pending_count >= PENDING_MAX) {
			nfp_walk__find(w, s, NFP_RULE_TOO_COMPLEX, "it has more than %u ways at once", PENDING_MAX);
			return 1;
		}
		err = push_branch(w, s, target);
		if (err)
			return err;
		refine_branch(w, &w->pending[w->pending_count - 1], insn, 1);
		refine_branch(w, s, insn, 0);
	}
	s->insn = taken > 0 ? target : s->insn + 1;
	return check_target(w, s);
}

static unsigned function_at(const struct nfp_walk *w, uint32_t insn)
{
	unsigned i = 0;

	while (i + 1 < w->function_count && w->functions[i + 1].start <= insn)
		i++;
	return i;
}

/* Enters a function that the program calls. One that is not static is not followed: the driver refuses it. */
static int call_function(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn)
{
	int target = s->insn + 1 + insn->imm, back = s->insn + 1, err;
	struct nfp_reg arguments[6];

	if (target < 0 || target >= (int)w->code->count || !w->code->starts_function[target]) {
		nfp_walk__find(w, s, NFP_RULE_LINK, "the call goes nowhere");
		return 1;
	}
	memcpy(arguments, s->frames[s->current]->regs, sizeof(arguments));
	for (unsigned i = 0; i <= 5; i++) {
		*nfp_state__reg(s, i) = (struct nfp_reg){ .type = NFP_NOT_INIT };
		nfp_scalar__mark_unknown(&nfp_state__reg(s, i)->n);
	}
	if (w->code->starts_function[target] == NFP_GLOBAL) {
		nfp_walk__find(w, s, NFP_RULE_GLOBAL_FUNCTION, "the function that is called is not static");
		nfp_walk__mark_unknown(w, s, 0, 8);
		s->insn = back;
		return 0;
	}
	if (s->current + 1 >= NFP_FRAMES_MAX) {
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "more than %d frames are nested", NFP_FRAMES_MAX);
		return 1;
	}
	err = nfp_state__push(s, back, function_at(w, (uint32_t)target));
	if (err)
		return err;
	memcpy(&s->frames[s->current]->regs[1], &arguments[1], 5 * sizeof(arguments[0]));
	s->insn = target;
	return 0;
}

/* Returns to the caller, or ends the path and checks the XDP action. */
static int exit_function(struct nfp_walk *w, struct nfp_state *s)
{
	struct nfp_reg result = *nfp_state__reg(s, 0);
	int end, back;

	if (s->current) { /* the caller may or may not read R0 */
		if (result.type == NFP_STACK) {
			nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "a function returns a pointer to the stack");
			return 1;
		}
		back = s->frames[s->current]->return_to;
		nfp_state__pop(s);
		*nfp_state__reg(s, 0) = result;
		s->insn = back;
		return 0;
	}
	end = nfp_walk__read(w, s, 0, 1);
	if (end)
		return end;
	if (result.type != NFP_SCALAR)
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "the program returns %s", nfp_type__name(result.type));
	else if (result.n.umin > XDP_TX)
		nfp_walk__find(w, s, NFP_RULE_RETURN_CODE, "%s is returned here",
			       result.n.umin == XDP_REDIRECT ? "XDP_REDIRECT" : "no XDP action");
	return 1;
}

static int jump(struct nfp_walk *w, struct nfp_state *s, const struct bpf_insn *insn)
{
	int end;

	switch (BPF_OP(insn->code)) {
	case BPF_JA:
		s->insn += 1 + insn->off;
		return check_target(w, s);
	case BPF_EXIT:
		return exit_function(w, s);
	case BPF_CALL:
		if (insn->src_reg == BPF_PSEUDO_CALL)
			return call_function(w, s, insn);
		end = nfp_walk__helper(w, s, insn);
		s->insn++;
		return end;
	default:
		return conditional_jump(w, s, insn);
	}
}

/* Executes one instruction on one path. Returns 1 if the path ends, a negative errno on failure. */
static int step(struct nfp_walk *w, struct nfp_state *s)
{
	const struct bpf_insn *insn = &w->code->insns[s->insn];
	int end;

	if (w->meta[s->insn].is_second_half) {
		nfp_walk__find(w, s, NFP_RULE_KERNEL_VERIFIER, "a jump goes into the middle of a 64-bit load");
		return 1;
	}
	w->meta[s->insn].visits++;
	if (nfp_walk__check_opcode(w, s, insn))
		return 1;
	if (BPF_CLASS(insn->code) == BPF_JMP || BPF_CLASS(insn->code) == BPF_JMP32)
		return jump(w, s, insn);
	if (BPF_CLASS(insn->code) != BPF_ST && BPF_CLASS(insn->code) != BPF_STX && (insn->dst_reg > 9 || insn->src_reg > 10)) {
		nfp_walk__find(w, s, NFP_RULE_OPCODE, "it writes R%u, or reads a register that does not exist", insn->dst_reg);
		return 1;
	}
	switch (BPF_CLASS(insn->code)) {
	case BPF_LD:
		end = load_constant(w, s, insn);
		break;
	case BPF_LDX:
		end = nfp_walk__load(w, s, insn);
		break;
	case BPF_ST:
		end = nfp_walk__store_constant(w, s, insn);
		break;
	case BPF_STX:
		end = BPF_MODE(insn->code) == BPF_ATOMIC ? nfp_walk__atomic(w, s, insn) : nfp_walk__store(w, s, insn);
		break;
	default:
		end = nfp_walk__alu(w, s, insn);
	}
	if (end)
		return end;
	s->insn++;
	return check_target(w, s);
}

/* Returns 1 if a path like this one has been here, so that this one ends; 0 if not; or -ENOMEM. */
static int is_state_visited(struct nfp_walk *w, struct nfp_state *s)
{
	unsigned live = w->live[s->insn];
	unsigned compared = 0;
	struct nfp_visit *v;

	for (v = w->visits[s->insn]; v && compared < STATES_COMPARED_MAX; v = v->next, compared++) {
		if (v->branches) {
			if (!nfp_state__equal(&v->state, s, live))
				continue;
			nfp_walk__find(w, s, NFP_RULE_ENDLESS_LOOP, "the loop may come here again with nothing changed");
			return 1;
		}
		if (nfp_state__contains(&v->state, s, live))
			return 1;
	}
	if (w->stored >= STATES_MAX)
		return 0;
	v = calloc(1, sizeof(*v));
	if (!v || nfp_state__copy(&v->state, s)) {
		free(v);
		return -ENOMEM;
	}
	v->branches = 1;
	v->next = w->visits[s->insn];
	w->visits[s->insn] = v;
	w->stored++;
	s->parent = v;
	return 0;
}

/* Follows a path to its end, or to a state that was seen before. */
static int walk_path(struct nfp_walk *w, struct nfp_state *s)
{
	int end;

	do {
		if (++w->steps > w->steps_max) {
			if (w->steps_max < NFP_STEPS_MAX)
				nfp_walk__find(w, s, NFP_RULE_TOO_COMPLEX, "the object's programs together take more than %u steps",
					       NFP_OBJECT_STEPS_MAX);
			else
				nfp_walk__find(w, s, NFP_RULE_TOO_COMPLEX, "it takes more than %u steps to see all of its paths",
					       NFP_STEPS_MAX);
			return 1;
		}
		end = w->meta[s->insn].is_jump_target ? is_state_visited(w, s) : 0;
		if (!end)
			end = step(w, s);
	} while (!end);
	return end;
}

/* The kernel checks jumps and the ends of functions even in unreachable code. */
static void check_function(struct nfp_walk *w, uint32_t start, uint32_t end)
{
	uint8_t last = w->code->insns[end - 1].code;

	for (uint32_t i = start; i < end; i++) {
		int64_t target = nfp_insn__target(w->code, i);
		int is_call = w->code->insns[i].code == (BPF_JMP | BPF_CALL);

		if (!is_call && target >= 0 && (target < start || target >= end))
			nfp_findings__add(w->findings, NFP_RULE_KERNEL_VERIFIER, NFP_REJECT, (int)i, "a jump leaves its function");
	}
	if (last != (BPF_JMP | BPF_JA) && last != (BPF_JMP | BPF_EXIT))
		nfp_findings__add(w->findings, NFP_RULE_KERNEL_VERIFIER, NFP_REJECT, (int)end - 1,
				  "the function ends without an exit or a jump");
}

/* Finds functions, jump targets and live registers. */
static int scan_program(struct nfp_walk *w)
{
	uint32_t count = w->code->count;

	w->meta = calloc(count, sizeof(*w->meta));
	w->live = calloc(count, sizeof(*w->live));
	w->visits = calloc(count, sizeof(*w->visits));
	w->use = calloc((size_t)w->object->map_count * NFP_VALUE_WORDS_MAX + 1, 1);
	for (uint32_t i = 0; i < count; i++)
		w->function_count += !!w->code->starts_function[i];
	w->functions = calloc(w->function_count, sizeof(*w->functions));
	if (!w->meta || !w->live || !w->visits || !w->use || !w->functions)
		return -ENOMEM;
	w->function_count = 0;
	w->adjust_head_at = -1;
	for (uint32_t i = 0; i < count; i++) {
		const struct bpf_insn *insn = &w->code->insns[i];
		int64_t target = nfp_insn__target(w->code, i);

		if (w->code->starts_function[i])
			w->functions[w->function_count++].start = i;
		w->functions[w->function_count - 1].writes_saved |= insn->dst_reg >= BPF_REG_6 && insn->dst_reg <= BPF_REG_9;
		if (target >= 0 && target < count)
			w->meta[target].is_jump_target = 1;
	}
	for (uint32_t i = 0; i + 1 < count; i++)
		if (w->code->insns[i].code == (BPF_LD | BPF_IMM | BPF_DW))
			w->meta[++i].is_second_half = 1;
	for (unsigned i = 0; i < w->function_count; i++)
		check_function(w, w->functions[i].start, i + 1 < w->function_count ? w->functions[i + 1].start : count);
	nfp_liveness__find(w->code, w->live);
	return 0;
}

int nfp_walk__run(struct nfp_walk *w)
{
	struct nfp_state s;
	int end = scan_program(w);

	if (end || nfp_state__init(&s))
		return -ENOMEM;
	for (;;) {
		end = walk_path(w, &s);
		end_path(&s);
		if (end < 0 || !w->pending_count || w->steps > w->steps_max)
			break;
		s = w->pending[--w->pending_count];
	}
	return end < 0 ? end : 0;
}

void nfp_walk__free(struct nfp_walk *w)
{
	for (uint32_t i = 0; w->visits && i < w->code->count; i++)
		for (struct nfp_visit *v = w->visits[i], *next; v; v = next) {
			next = v->next;
			nfp_state__free(&v->state);
			free(v);
		}
	while (w->pending_count)
		nfp_state__free(&w->pending[--w->pending_count]);
	free(w->pending);
	free(w->visits);
	free(w->live);
	free(w->use);
	free(w->functions);
	free(w->meta);
}
