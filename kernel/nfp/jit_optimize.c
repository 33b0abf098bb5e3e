/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Models what the kernel removes from a BPF program before the NFP driver's JIT runs, and what the JIT merges: runs of loads and stores
 * into copies, and loads from the packet into one. Called by jit.c. Order and conditions are the driver's (nfp_bpf_opt_*() in its jit.c).
 */
#include <stdlib.h>

#include "kernel/nfp/jit_insn.h"
#include "kernel/nfp/liveness.h"

#define COPY_BYTES_MAX  128
#define CACHE_BYTES_MAX 64

static int is_conditional(const struct bpf_insn *insn)
{
	int op = BPF_OP(insn->code);

	if (BPF_CLASS(insn->code) == BPF_JMP32)
		return 1;
	return BPF_CLASS(insn->code) == BPF_JMP && op != BPF_JA && op != BPF_CALL && op != BPF_EXIT;
}

/* Returns 1 if only dead instructions are between a jump and its target: then it jumps to the next instruction. */
static int jumps_over_nothing(const struct nfp_walk *w, uint32_t i)
{
	int64_t target = (int64_t)i + 1 + w->code->insns[i].off;

	if (target <= i)
		return 0;
	for (uint32_t between = i + 1; between < target; between++)
		if (between >= w->code->count || w->meta[between].visits)
			return 0;
	return 1;
}

/* Removes unreachable instructions, and jumps that have become pointless because of that. */
static void remove_dead(const struct nfp_walk *w, struct nfp_jit_insn *insns)
{
	for (uint32_t i = 0; i < w->code->count; i++) {
		const struct bpf_insn *insn = &w->code->insns[i];
		int64_t target = nfp_insn__target(w->code, i);

		if (!w->meta[i].visits) {
			insns[i].is_dead = 1;
			continue;
		}
		if (is_conditional(insn) && i + 1 < w->code->count && w->meta[i + 1].visits) {
			if (target < 0 || target >= w->code->count || !w->meta[target].visits)
				insns[i].is_dead = 1;
		} else if ((is_conditional(insn) || insn->code == (BPF_JMP | BPF_JA)) && jumps_over_nothing(w, i)) {
			insns[i].is_dead = 1;
		}
	}
}

/* Removes a copy of R1 to R6 at the beginning: the JIT needs no pointer to xdp_md. */
static void merge_first_copy(const struct nfp_walk *w, struct nfp_jit_insn *insns)
{
	for (uint32_t i = 0; i < w->code->count; i++) {
		const struct bpf_insn *insn = &insns[i].insn;

		if (insn->code == (BPF_ALU64 | BPF_XOR | BPF_X) && insn->src_reg == insn->dst_reg)
			continue;
		if (insn->code == (BPF_ALU64 | BPF_MOV | BPF_X) && insn->src_reg == 1 && insn->dst_reg == 6)
			insns[i].is_merged = 1;
		if (!insns[i].is_merged && !insns[i].is_dead)
			return;
	}
}

/* Turns the addition of -N into a subtraction of N, and a comparison with -N into one that adds N. */
static void flip_signs(const struct nfp_walk *w, struct nfp_jit_insn *insns)
{
	for (uint32_t i = 0; i < w->code->count; i++) {
		struct bpf_insn *insn = &insns[i].insn;
		int class = BPF_CLASS(insn->code), op = BPF_OP(insn->code);

		if (insns[i].is_dead || insns[i].is_merged || BPF_SRC(insn->code) != BPF_K || insn->imm >= 0)
			continue;
		if (class == BPF_JMP || class == BPF_JMP32) {
			if (op != BPF_JGE && op != BPF_JSGE && op != BPF_JLT && op != BPF_JSLT)
				continue;
		} else if (class == BPF_ALU || class == BPF_ALU64) {
			if (op != BPF_ADD && op != BPF_SUB)
				continue;
			insn->code = (uint8_t)(class | (op == BPF_ADD ? BPF_SUB : BPF_ADD));
		} else {
			continue;
		}
		insn->imm = (int32_t)(0u - (uint32_t)insn->imm);
	}
}

static int is_load(const struct bpf_insn *insn)
{
	return (insn->code & ~0x18) == (BPF_LDX | BPF_MEM);
}

static int is_store(const struct bpf_insn *insn)
{
	return (insn->code & ~0x18) == (BPF_STX | BPF_MEM);
}

/* Returns 1 for a load from the packet or a value that is followed by a store of the same register to the packet. */
static int is_pair(const struct nfp_jit_insn *ld, const struct nfp_jit_insn *st)
{
	return is_load(&ld->insn) && is_store(&st->insn) && (ld->meta->pointer == NFP_PACKET || ld->meta->pointer == NFP_VALUE) &&
	       st->meta->pointer == NFP_PACKET && BPF_SIZE(ld->insn.code) == BPF_SIZE(st->insn.code) &&
	       ld->insn.dst_reg == st->insn.src_reg && !st->meta->is_jump_target;
}

/* Returns 1 if the pair continues where the previous one ended, upward or downward. */
static int is_contiguous(const struct nfp_jit_insn *ld, const struct nfp_jit_insn *last_ld)
{
	const struct bpf_insn *a = &last_ld[0].insn, *b = &last_ld[1].insn, *c = &ld[0].insn, *d = &ld[1].insn;
	int size = (int)nfp_insn__bytes(c);

	if (c->dst_reg != a->dst_reg || c->src_reg != a->src_reg || d->dst_reg != b->dst_reg || size != (int)nfp_insn__bytes(a) ||
	    ld->meta->is_jump_target)
		return 0;
	return (a->off + size == c->off && b->off + size == d->off) || (c->off + size == a->off && d->off + size == b->off);
}

/* Returns 1 if a later load would read what an earlier store wrote. */
static int overlaps(const struct nfp_jit_insn *ld, const struct nfp_jit_insn *head)
{
	int from, to, now;

	if (head[0].meta->pointer != head[1].meta->pointer)
		return 0;
	if (head[0].meta->pointer_id != head[1].meta->pointer_id)
		return 1;
	from = head[0].insn.off + (int)head[0].meta->pointer_offset;
	to = head[1].insn.off + (int)head[1].meta->pointer_offset;
	now = ld->insn.off + (int)head[0].meta->pointer_offset;
	return (now > from && from < to && now >= to) || (now < from && from > to && now <= to);
}

/* Ends a run of pairs: a single pair is not a copy. */
static void end_run(struct nfp_jit_insn *head, const struct nfp_jit_insn *last, unsigned pairs)
{
	if (pairs < 2) {
		head[0].copy_bytes = 0;
		return;
	}
	if (last[0].insn.off < head[0].insn.off) {
		head[0].insn.off = last[0].insn.off;
		head[1].insn.off = last[1].insn.off;
		head[0].copy_bytes = (int16_t)-head[0].copy_bytes;
	}
	head[0].copy_to_off = head[1].insn.off;
	head[1].is_merged = 1;
}

/* Loads and stores in pairs that copy contiguous packet bytes become one copy: the first load gets its length. */
static void merge_copies(const struct nfp_walk *w, struct nfp_jit_insn *insns)
{
	struct nfp_jit_insn *head = NULL;
	const struct nfp_jit_insn *last = NULL;
	unsigned pairs = 0;

	for (uint32_t i = 0; i + 1 < w->code->count; i++) {
		struct nfp_jit_insn *ld = &insns[i];
		int pair = is_pair(ld, ld + 1);

		if (pair && (!last || is_contiguous(ld, last)) && (!head || (!overlaps(ld, head) && head->copy_bytes < COPY_BYTES_MAX))) {
			if (!head) {
				head = ld;
			} else {
				ld[0].is_merged = 1;
				ld[1].is_merged = 1;
			}
			pairs++;
		} else {
			if (pairs)
				end_run(head, last, pairs);
			head = pair && pairs ? ld : NULL;
			last = NULL;
			if (!head) {
				pairs = 0;
				continue;
			}
			pairs = 1;
		}
		head->copy_bytes = (int16_t)(head->copy_bytes + (int)nfp_insn__bytes(&ld->insn));
		last = ld;
		i++;
	}
}

/* The part of the packet that is in registers after a load. */
struct cache {
	struct nfp_jit_insn *filler;
	int is_valid, start, end;
	uint32_t id;
	int64_t base;
};

static void begin_cache(struct cache *c, struct nfp_jit_insn *i)
{
	if (c->filler) {
		c->filler->cache_start = (int16_t)c->start;
		c->filler->cache_end = (int16_t)c->end;
	}
	c->filler = i;
	i->fills_cache = 1;
	c->is_valid = 1;
	c->id = i->meta->pointer_id;
	c->base = i->meta->pointer_offset;
	c->start = i->insn.off;
	c->end = i->insn.off + (int)nfp_insn__bytes(&i->insn);
}

static void cache_load(struct cache *c, struct nfp_jit_insn *i)
{
	int start = i->insn.off < c->start ? i->insn.off : c->start, end = i->insn.off + (int)nfp_insn__bytes(&i->insn);

	end = end > c->end ? end : c->end;
	if (c->is_valid && i->meta->pointer_id == c->id && i->meta->pointer_offset == c->base && end - start <= CACHE_BYTES_MAX) {
		c->start = start;
		c->end = end;
	} else {
		begin_cache(c, i);
	}
}

/* Loads of the packet that lie close together share one read of memory: the first load reads the range for all. */
static void cache_packet(const struct nfp_walk *w, struct nfp_jit_insn *insns)
{
	struct cache c = { .filler = NULL };

	for (uint32_t n = 0; n < w->code->count; n++) {
		struct nfp_jit_insn *i = &insns[n];

		if (i->meta->is_jump_target)
			c.is_valid = 0;
		if (i->is_dead || i->is_merged)
			continue;
		if ((is_store(&i->insn) && i->meta->pointer == NFP_PACKET) || i->insn.code == (BPF_JMP | BPF_CALL))
			c.is_valid = 0;
		else if (is_load(&i->insn) && (i->meta->pointer != NFP_PACKET || i->copy_bytes))
			c.is_valid = 0;
		else if (is_load(&i->insn))
			cache_load(&c, i);
	}
	if (c.filler) {
		c.filler->cache_start = (int16_t)c.start;
		c.filler->cache_end = (int16_t)c.end;
	}
	for (uint32_t n = 0; n < w->code->count; n++) {
		struct nfp_jit_insn *i = &insns[n];

		if (i->is_dead || i->is_merged || !is_load(&i->insn) || i->meta->pointer != NFP_PACKET || i->copy_bytes)
			continue;
		if (i->fills_cache) {
			c.start = i->cache_start;
			c.end = i->cache_end;
		} else {
			i->cache_start = (int16_t)c.start;
			i->cache_end = (int16_t)c.end;
		}
	}
}

struct nfp_jit_insn *nfp_jit__optimize(const struct nfp_walk *w)
{
	struct nfp_jit_insn *insns = calloc(w->code->count, sizeof(*insns));

	if (!insns)
		return NULL;
	for (uint32_t i = 0; i < w->code->count; i++) {
		insns[i].insn = w->code->insns[i];
		insns[i].meta = &w->meta[i];
	}
	remove_dead(w, insns);
	merge_first_copy(w, insns);
	flip_signs(w, insns);
	merge_copies(w, insns);
	cache_packet(w, insns);
	return insns;
}
