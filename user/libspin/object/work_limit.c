/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Rewrites an isolated (untrusted) BPF program so that a packet cannot hold the CPU: inserts a counter of work into every loop
 * (work_limit.h). Called by class.c for each program of an isolated context before it is loaded. Added code goes after the program, so
 * that no instruction moves and lines, relocations and types stay valid.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "user/libspin/internal.h"
#include "user/libspin/object/work_limit.h"

#define STACK_BYTES 512
#define JUMP        (BPF_JMP | BPF_JA)
#define JUMP_FAR    (BPF_JMP32 | BPF_JA) /* Linux 6.6 */
#define MAY_GOTO    (BPF_JMP | 0xe0)     /* Linux 6.9 */
#define LOAD_64     (BPF_LD | BPF_IMM | BPF_DW)
#define ADDED_MAX   10 /* instructions added for one backward jump of a loop */

int work_limit__refuse(const struct work_code *code, const char *what)
{
	return spin_fail(-EINVAL,
			 "%s cannot be limited as the isolated class wants it: %s; load it as trusted, if you trust it, "
			 "or write its handlers without that",
			 code->name, what);
}

size_t work_code__following(const struct work_code *code, size_t i)
{
	return i + (code->insns[i].code == LOAD_64 ? 2 : 1);
}

static int is_jump(const struct bpf_insn *insn)
{
	int class = BPF_CLASS(insn->code), op = BPF_OP(insn->code);

	return (class == BPF_JMP || class == BPF_JMP32) && op != BPF_CALL && op != BPF_EXIT;
}

/* Returns the target of a jump; negative or beyond the end: outside. */
static int64_t target(const struct bpf_insn *insn, size_t i)
{
	return (int64_t)i + 1 + (insn->code == JUMP_FAR ? insn->imm : insn->off);
}

/* Returns 1 for a backward jump within a loop. Others only depend on where the compiler placed the code. */
static int is_iteration(const struct work_code *code, size_t i)
{
	const int64_t to = is_jump(&code->insns[i]) ? target(&code->insns[i], i) : INT64_MAX;

	return to <= (int64_t)i && code->component[to] == code->component[i];
}

int work_code__next(const struct work_code *code, size_t i, size_t next[2])
{
	const struct bpf_insn *insn = &code->insns[i];
	int count = 0;

	if (BPF_CLASS(insn->code) == BPF_JMP && BPF_OP(insn->code) == BPF_EXIT)
		return 0;
	if (!insn->code) /* the second half of a 64-bit load: never reached */
		return 0;
	if (insn->code != JUMP && insn->code != JUMP_FAR)
		next[count++] = work_code__following(code, i);
	if (is_jump(insn)) {
		int64_t to = target(insn, i);

		if (to < 0 || to >= (int64_t)code->count || !code->insns[to].code)
			return -1;
		next[count++] = (size_t)to;
	}
	return count && next[0] >= code->count ? -1 : count;
}

/*
 * Finds an instruction that each run executes once, before any jump target: it is replaced by code that sets the counter. It must be
 * movable, so not a 64-bit load, which may have a relocation. Returns code->count if there is none.
 */
static size_t find_entry(const struct work_code *code)
{
	size_t first_target = code->count;

	for (size_t i = 0; i < code->count; i = work_code__following(code, i))
		if (is_jump(&code->insns[i]) && target(&code->insns[i], i) < (int64_t)first_target)
			first_target = (size_t)target(&code->insns[i], i);
	for (size_t i = 0; i < first_target; i = work_code__following(code, i)) {
		int class = BPF_CLASS(code->insns[i].code);

		if (class == BPF_JMP || class == BPF_JMP32)
			break;
		if (class != BPF_LD)
			return i;
	}
	return code->count;
}

struct emitter {
	struct bpf_insn *insns;
	size_t count;
	int out_of_range;
};

static void emit(struct emitter *w, int code, int dst, int src, int off, int32_t imm)
{
	w->insns[w->count++] = (struct bpf_insn){
		.code = (uint8_t)code, .dst_reg = (uint8_t)dst & 15, .src_reg = (uint8_t)src & 15, .off = (int16_t)off, .imm = imm
	};
}

static void emit_jump(struct emitter *w, size_t to)
{
	int64_t distance = (int64_t)to - (int64_t)w->count - 1;

	if (distance >= INT16_MIN && distance <= INT16_MAX)
		emit(w, JUMP, 0, 0, (int)distance, 0);
	else
		emit(w, JUMP_FAR, 0, 0, 0, (int32_t)distance);
}

/* Makes the jump at `from` lead to the code that is added next. */
static void patch_jump(struct emitter *w, size_t from)
{
	int64_t distance = (int64_t)w->count - (int64_t)from - 1;

	if (w->insns[from].code == JUMP_FAR) {
		w->insns[from].imm = (int32_t)distance;
		return;
	}
	if (distance > INT16_MAX)
		w->out_of_range = 1;
	w->insns[from].off = (int16_t)distance;
}

static void emit_entry(struct emitter *w, size_t at, int counter, uint32_t units)
{
	const struct bpf_insn moved = w->insns[at];

	w->insns[at] = (struct bpf_insn){ .code = JUMP };
	patch_jump(w, at);
	emit(w, BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, counter, (int32_t)units);
	w->insns[w->count++] = moved;
	emit_jump(w, at + 1);
}

/*
 * The counter takes half a slot, so that its value is unknown to the verifier: iterations of a loop stay equivalent states, and the
 * verifier needs no speculation barrier where it is written.
 */
static void emit_iteration_check(struct emitter *w, const struct work_code *code, size_t at, int counter)
{
	size_t to = (size_t)target(&w->insns[at], at);
	int reg = BPF_REG_0, saved_at = counter - 12; /* below the counter's slot */

	while (reg < BPF_REG_10 && code->live[to] >> reg & 1)
		reg++;
	patch_jump(w, at);
	if (reg == BPF_REG_10)
		emit(w, BPF_STX | BPF_MEM | BPF_DW, BPF_REG_10, BPF_REG_0, saved_at, 0);
	emit(w, BPF_LDX | BPF_MEM | BPF_W, reg % BPF_REG_10, BPF_REG_10, counter, 0);
	emit(w, BPF_ALU | BPF_ADD | BPF_K, reg % BPF_REG_10, 0, 0, -(int32_t)code->round_units[to]);
	emit(w, BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, reg % BPF_REG_10, counter, 0);
	emit(w, BPF_JMP32 | BPF_JSGT | BPF_K, reg % BPF_REG_10, 0, 2, 0);
	emit(w, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, XDP_ABORTED);
	emit(w, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	if (reg == BPF_REG_10)
		emit(w, BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_0, BPF_REG_10, saved_at, 0);
	emit_jump(w, to);
}

static uint32_t unit_limit(const struct work_code *code, const struct work_options *options)
{
	uint64_t units = WORK_UNITS_MAX, steps = options->budget;

	if (options->behind)
		return WORK_UNITS_MAX_BEHIND;
	/* header, payload and completion handler each have the budget */
	if (steps && WORK_UNITS_RUNTIME + 3 * steps * code->round_units_max < units)
		units = WORK_UNITS_RUNTIME + 3 * steps * code->round_units_max;
	return (uint32_t)units;
}

/* Adds the counter; does nothing if the program has no loop. */
static int rewrite(struct bpf_program *prog, const struct work_code *code, const struct work_options *options)
{
	struct emitter w = { .count = code->count };
	int counter = -code->stack_bytes - 4, err;
	size_t entry = find_entry(code), iterations = 0;

	for (size_t i = 0; i < code->count; i = work_code__following(code, i))
		iterations += is_iteration(code, i);
	if (!iterations)
		return 0;
	w.insns = malloc((code->count + (iterations + 1) * ADDED_MAX) * sizeof(*w.insns));
	if (!w.insns)
		return spin_fail(-ENOMEM, "no memory to load %s", code->name);
	memcpy(w.insns, code->insns, code->count * sizeof(*w.insns));
	if (code->stack_bytes + 16 > STACK_BYTES)
		err = work_limit__refuse(code, "it uses all of its stack, and the last 16 of its 512 bytes are for the limit");
	else if (entry == code->count)
		err = work_limit__refuse(code, "it begins with a loop");
	else
		err = 0;
	if (!err) {
		for (size_t i = 0; i < code->count; i = work_code__following(code, i))
			if (is_iteration(code, i))
				emit_iteration_check(&w, code, i, counter);
		emit_entry(&w, entry, counter, unit_limit(code, options));
		if (w.out_of_range)
			err = work_limit__refuse(code, "it is too long");
	}
	if (!err)
		err = bpf_program__set_insns(prog, w.insns, w.count);
	free(w.insns);
	return err;
}

/* Also of instructions that are never reached: they are rewritten like the others. */
static int check_jumps(const struct work_code *code)
{
	for (size_t i = 0; i < code->count; i = work_code__following(code, i)) {
		int64_t to = is_jump(&code->insns[i]) ? target(&code->insns[i], i) : 0;

		if (to < 0 || to >= (int64_t)code->count || !code->insns[to].code)
			return work_limit__refuse(code, "it jumps outside of itself");
	}
	return 0;
}

int work_limit__enforce(struct bpf_program *prog, const struct work_options *options)
{
	struct work_code code = { .name = bpf_program__name(prog),
				  .insns = bpf_program__insns(prog),
				  .count = bpf_program__insn_cnt(prog) };
	int err;

	err = check_jumps(&code);
	if (!err)
		err = work_stack__check(&code);
	if (!err && !options->follows) {
		err = work_cost__find(&code);
		if (!err)
			err = work_stack__live(&code);
		if (!err)
			err = rewrite(prog, &code, options);
	}
	free(code.round_units);
	free(code.component);
	free(code.live);
	return err;
}

/*
 * Computes the maximum cost of one iteration of each loop. Called by work_limit__enforce(). A loop is a strongly
 * connected component of the program's graph; an iteration goes forward in it from the target of a backward jump.
 */

#define COUNTING_UNITS 8 /* cost of counting an iteration, which depends on the counter of the previous one */

static uint32_t helper_units(int32_t id)
{
	switch (id) {
	case BPF_FUNC_skb_load_bytes: /* it clears the whole buffer, up to 16 MiB, if there are fewer bytes */
		return 1u << 22;
	case BPF_FUNC_xdp_load_bytes: /* these copy at most a frame */
	case BPF_FUNC_skb_store_bytes:
	case BPF_FUNC_xdp_store_bytes:
	case BPF_FUNC_ringbuf_output:
	case BPF_FUNC_fib_lookup:
	case BPF_FUNC_redirect:
	case BPF_FUNC_redirect_map:
	case BPF_FUNC_xdp_adjust_tail:
		return 1024;
	default:
		return 64;
	}
}

/* The cost of an instruction, in units of the work limit. */
static uint32_t units(const struct bpf_insn *insn)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_LDX:
		return insn->src_reg == BPF_REG_10 ? 1 : 8;
	case BPF_ST:
		return insn->dst_reg == BPF_REG_10 ? 1 : 8;
	case BPF_STX:
		return BPF_MODE(insn->code) == BPF_ATOMIC ? 32 : insn->dst_reg == BPF_REG_10 ? 1 : 8;
	case BPF_JMP:
		return BPF_OP(insn->code) == BPF_CALL ? helper_units(insn->imm) : 1;
	default:
		return 1;
	}
}

/* Tarjan's algorithm, with an explicit stack. */
struct search {
	const struct work_code *code;
	uint32_t *number, *lowest; /* 0: not visited */
	uint32_t *component;       /* that of the code */
	size_t *path, *open;       /* current path; instructions without a component */
	uint8_t *taken;            /* successors visited */
	size_t path_count, open_count;
	uint32_t numbers, components;
};

static void push(struct search *s, size_t i)
{
	s->number[i] = s->lowest[i] = ++s->numbers;
	s->path[s->path_count++] = i;
	s->open[s->open_count++] = i;
}

static void pop(struct search *s, size_t i)
{
	size_t member;

	if (s->lowest[i] == s->number[i]) {
		s->components++;
		do {
			member = s->open[--s->open_count];
			s->component[member] = s->components;
		} while (member != i);
	}
	s->path_count--;
	if (s->path_count && s->lowest[i] < s->lowest[s->path[s->path_count - 1]])
		s->lowest[s->path[s->path_count - 1]] = s->lowest[i];
}

/* Tarjan's algorithm, without recursion: finds the strongly connected components of the program's jumps, which are its loops. */
static void search(struct search *s, size_t from)
{
	size_t next[2];

	for (push(s, from); s->path_count;) {
		size_t i = s->path[s->path_count - 1];
		int count = work_code__next(s->code, i, next);

		if (s->taken[i] >= count) {
			pop(s, i);
			continue;
		}
		i = next[s->taken[i]++];
		if (!s->number[i])
			push(s, i);
		else if (!s->component[i] && s->number[i] < s->lowest[s->path[s->path_count - 1]])
			s->lowest[s->path[s->path_count - 1]] = s->number[i];
	}
}

/* From the last instruction to the first, so that the costs of forward successors are known. */
static void find_costs(const struct search *s, struct work_code *code)
{
	uint64_t *longest = calloc(code->count, sizeof(*longest));
	size_t next[2];

	if (!longest) {
		free(code->round_units);
		code->round_units = NULL;
		return;
	}
	for (size_t i = code->count; i-- > 0;) {
		int count = s->number[i] ? work_code__next(code, i, next) : 0;

		for (int k = 0; k < count; k++)
			if (next[k] > i && s->component[next[k]] == s->component[i] && longest[next[k]] > longest[i])
				longest[i] = longest[next[k]];
		longest[i] += units(&code->insns[i]);
	}
	for (size_t i = 0; i < code->count; i++) {
		int count = s->number[i] ? work_code__next(code, i, next) : 0;

		for (int k = 0; k < count; k++) {
			uint64_t round = next[k] <= i && s->component[next[k]] == s->component[i] ? longest[next[k]] : 0;

			if (!round)
				continue;
			round += COUNTING_UNITS;
			code->round_units[next[k]] = round < WORK_UNITS_MAX ? (uint32_t)round : WORK_UNITS_MAX;
			if (code->round_units[next[k]] > code->round_units_max)
				code->round_units_max = code->round_units[next[k]];
		}
	}
	free(longest);
}

int work_cost__find(struct work_code *code)
{
	size_t count = code->count;
	struct search s = {
		.code = code,
		.number = calloc(count, sizeof(*s.number)),
		.lowest = calloc(count, sizeof(*s.lowest)),
		.component = code->component = calloc(count, sizeof(*s.component)),
		.path = calloc(count, sizeof(*s.path)),
		.open = calloc(count, sizeof(*s.open)),
		.taken = calloc(count, 1),
	};

	code->round_units = calloc(count, sizeof(*code->round_units));
	if (s.number && s.lowest && s.component && s.path && s.open && s.taken && code->round_units) {
		search(&s, 0);
		find_costs(&s, code);
	} else {
		free(code->round_units);
		code->round_units = NULL;
	}
	free(s.number);
	free(s.lowest);
	free(s.path);
	free(s.open);
	free(s.taken);
	return code->round_units ? 0 : spin_fail(-ENOMEM, "no memory to load %s", code->name);
}
