/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What one round of each loop of a program costs at most. Called by work_limit__enforce(). A loop is a strongly
 * connected component of the program's graph; a round goes forward in it, from where a backward jump leads to on.
 */
#include <errno.h>
#include <stdlib.h>

#include <linux/bpf.h>

#include "user/libspin/internal.h"
#include "user/libspin/work_limit.h"

#define COUNTING_UNITS 8 /* what counting a round takes, which waits for the counter of the round before */

static uint32_t helper_units(int32_t id)
{
	switch (id) {
	case BPF_FUNC_xdp_load_bytes: /* copy a frame at most */
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

/* Tarjan's algorithm, with a stack of its own. */
struct search {
	const struct work_code *code;
	uint32_t *number, *lowest; /* 0: not seen */
	uint32_t *component;       /* 0: not known yet */
	size_t *path, *open;       /* the way here; instructions without a component */
	uint8_t *taken;            /* successors looked at */
	size_t path_count, open_count;
	uint32_t numbers, components;
};

static void enter(struct search *s, size_t i)
{
	s->number[i] = s->lowest[i] = ++s->numbers;
	s->path[s->path_count++] = i;
	s->open[s->open_count++] = i;
}

static void leave(struct search *s, size_t i)
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

static void search(struct search *s, size_t from)
{
	size_t next[2];

	for (enter(s, from); s->path_count;) {
		size_t i = s->path[s->path_count - 1];
		int count = work_code__next(s->code, i, next);

		if (s->taken[i] >= count) {
			leave(s, i);
			continue;
		}
		i = next[s->taken[i]++];
		if (!s->number[i])
			enter(s, i);
		else if (!s->component[i] && s->number[i] < s->lowest[s->path[s->path_count - 1]])
			s->lowest[s->path[s->path_count - 1]] = s->number[i];
	}
}

/* From the last instruction to the first, so that what a forward way leads to is known. */
static void measure(const struct search *s, struct work_code *code)
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
			uint64_t round = next[k] <= i ? longest[next[k]] : 0;

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
		.component = calloc(count, sizeof(*s.component)),
		.path = calloc(count, sizeof(*s.path)),
		.open = calloc(count, sizeof(*s.open)),
		.taken = calloc(count, 1),
	};

	code->round_units = calloc(count, sizeof(*code->round_units));
	if (s.number && s.lowest && s.component && s.path && s.open && s.taken && code->round_units) {
		search(&s, 0);
		measure(&s, code);
	} else {
		free(code->round_units);
		code->round_units = NULL;
	}
	free(s.number);
	free(s.lowest);
	free(s.component);
	free(s.path);
	free(s.open);
	free(s.taken);
	return code->round_units ? 0 : spin_fail(-ENOMEM, "no memory to load %s", code->name);
}
