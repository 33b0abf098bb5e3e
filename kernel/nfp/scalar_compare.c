/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Models what a conditional jump of a BPF program reveals to the verifier about the numbers that it compares. Called by walk.c. As in the
 * kernel, each comparison is reduced to one of six, with its operands exchanged or its result negated.
 */
#include <linux/bpf.h>

#include "kernel/nfp/scalar.h"
#include "kernel/nfp/scalar_range.h"

/* Returns 1 if the comparison holds for all values, 0 if for none, -1 if for some. */
static int taken(int op, const struct range *a, const struct range *b, struct bits x, struct bits y)
{
	uint64_t both = ~x.mask & ~y.mask & u_limit(a->bits);

	switch (op) {
	case BPF_JEQ:
		if (a->umin == a->umax && b->umin == b->umax && a->umin == b->umin)
			return 1;
		return a->umin > b->umax || a->umax < b->umin || a->smin > b->smax || a->smax < b->smin || ((x.value ^ y.value) & both)
			       ? 0
			       : -1;
	case BPF_JSET:
		if (y.mask & u_limit(a->bits))
			return -1;
		if (x.value & y.value & u_limit(a->bits))
			return 1;
		return (x.value | x.mask) & y.value & u_limit(a->bits) ? -1 : 0;
	case BPF_JGT:
		return a->umin > b->umax ? 1 : a->umax <= b->umin ? 0 : -1;
	case BPF_JGE:
		return a->umin >= b->umax ? 1 : a->umax < b->umin ? 0 : -1;
	case BPF_JSGT:
		return a->smin > b->smax ? 1 : a->smax <= b->smin ? 0 : -1;
	case BPF_JSGE:
		return a->smin >= b->smax ? 1 : a->smax < b->smin ? 0 : -1;
	}
	return -1;
}

/* Reduces a comparison to one of EQ, SET, GT, GE, SGT, SGE, with its result negated or its operands exchanged. */
static int normalize(int op, int *negate, int *exchange)
{
	*negate = *exchange = 0;
	switch (op) {
	case BPF_JNE:
		*negate = 1;
		return BPF_JEQ;
	case BPF_JLT:
		*exchange = 1;
		return BPF_JGT;
	case BPF_JLE:
		*exchange = 1;
		return BPF_JGE;
	case BPF_JSLT:
		*exchange = 1;
		return BPF_JSGT;
	case BPF_JSLE:
		*exchange = 1;
		return BPF_JSGE;
	}
	return op;
}

int nfp_scalar__taken(int op, int is_64, const struct nfp_scalar *a, const struct nfp_scalar *b)
{
	int negate, exchange, result;
	struct range x, y;

	op = normalize(op, &negate, &exchange);
	x = view(exchange ? b : a, is_64 ? 64 : 32);
	y = view(exchange ? a : b, is_64 ? 64 : 32);
	result = taken(op, &x, &y, known(exchange ? b : a), known(exchange ? a : b));
	return result < 0 ? result : result ^ negate;
}

/* Narrows both by a == b. */
static void refine_equal(struct nfp_scalar *a, struct nfp_scalar *b, unsigned bits)
{
	struct range x = view(a, bits), y = view(b, bits);
	struct bits same;

	x.umin = max_u(x.umin, y.umin);
	x.umax = min_u(x.umax, y.umax);
	x.smin = max_s(x.smin, y.smin);
	x.smax = min_s(x.smax, y.smax);
	store(a, &x);
	store(b, &x);
	same = both_known(known(a), known(b));
	learn_bits(a, bits == 64 ? same : with_low(known(a), same));
	learn_bits(b, bits == 64 ? same : with_low(known(b), same));
}

/* Narrows a by a != b, if b is constant: 6.12 moves the bound by one. */
static void refine_unequal(enum nfp_kernel kernel, struct nfp_scalar *a, const struct nfp_scalar *b, unsigned bits)
{
	struct range x = view(a, bits), y = view(b, bits);

	if (kernel < NFP_KERNEL_6_12 || y.umin != y.umax)
		return;
	x.umin += x.umin == y.umin && x.umin < u_limit(bits);
	x.umax -= x.umax == y.umin && x.umax > 0;
	x.smin += x.smin == y.smin && x.smin < s_limit(bits);
	x.smax -= x.smax == y.smin && x.smax > s_least(bits);
	store(a, &x);
}

static void refine_set(struct nfp_scalar *a, const struct nfp_scalar *b, unsigned bits, int is_set)
{
	uint64_t limit = u_limit(bits), value = b->value & limit;
	struct bits result;

	if (b->mask & limit)
		return;
	if (is_set) {
		if (value & (value - 1))
			return;
		result = bits_or(known(a), (struct bits){ value, 0 });
	} else {
		nfp_scalar__unbound(a, 64);
		nfp_scalar__unbound(a, 32);
		result = bits_and(known(a), (struct bits){ ~value & limit, 0 });
	}
	learn_bits(a, bits == 64 ? result : with_low(known(a), result));
}

/* Narrows both by a > b, or by a >= b (`or_equal`). */
static void refine_greater(struct nfp_scalar *a, struct nfp_scalar *b, unsigned bits, int is_signed, int or_equal)
{
	struct range x = view(a, bits), y = view(b, bits);
	int one = !or_equal;

	if (is_signed) {
		x.smin = max_s(x.smin, y.smin + (one && y.smin < s_limit(bits)));
		y.smax = min_s(y.smax, x.smax - (one && x.smax > s_least(bits)));
	} else {
		x.umin = max_u(x.umin, y.umin + (one && y.umin < u_limit(bits)));
		y.umax = min_u(y.umax, x.umax - (one && x.umax > 0));
	}
	store(a, &x);
	store(b, &y);
}

/* 6.1: derives one view's bounds from a comparison of the other. */
static void spread_6_1(int is_64, struct nfp_scalar *s)
{
	if (is_64) {
		nfp_scalar__unbound(s, 32);
		if (s->smin >= INT32_MIN && s->smin <= INT32_MAX && s->smax >= INT32_MIN && s->smax <= INT32_MAX) {
			s->smin32 = (int32_t)s->smin;
			s->smax32 = (int32_t)s->smax;
		}
		if (s->umin <= UINT32_MAX && s->umax <= UINT32_MAX) {
			s->umin32 = (uint32_t)s->umin;
			s->umax32 = (uint32_t)s->umax;
		}
	} else if (!((s->value | s->mask) >> 32)) {
		nfp_scalar__take_low(s);
	} else {
		nfp_scalar__unbound(s, 64);
	}
	nfp_scalar__sync_bounds(NFP_KERNEL_6_1, s);
}

void nfp_scalar__refine(enum nfp_kernel kernel, int op, int is_64, int is_taken, struct nfp_scalar *a, struct nfp_scalar *b)
{
	unsigned bits = is_64 ? 64 : 32;
	int negate, exchange, holds;

	if (kernel < NFP_KERNEL_6_12 &&
	    !(is_64 ? nfp_scalar__is_constant(a) || nfp_scalar__is_constant(b)
		    : nfp_scalar__is_constant32(a) || nfp_scalar__is_constant32(b)) &&
	    !(is_64 && (op == BPF_JEQ || op == BPF_JNE)))
		return; /* 6.1 learns from two unknown numbers only if they are equal */
	op = normalize(op, &negate, &exchange);
	if (exchange) {
		struct nfp_scalar *other = a;

		a = b;
		b = other;
	}
	holds = is_taken ^ negate;
	if (op == BPF_JEQ && holds)
		refine_equal(a, b, bits);
	else if (op == BPF_JEQ) {
		refine_unequal(kernel, a, b, bits);
		refine_unequal(kernel, b, a, bits);
	} else if (op == BPF_JSET)
		refine_set(a, b, bits, holds);
	else if (holds)
		refine_greater(a, b, bits, op == BPF_JSGT || op == BPF_JSGE, op == BPF_JGE || op == BPF_JSGE);
	else /* a > b is false, so b >= a */
		refine_greater(b, a, bits, op == BPF_JSGT || op == BPF_JSGE, op == BPF_JGT || op == BPF_JSGT);
	if (kernel >= NFP_KERNEL_6_12) {
		nfp_scalar__sync_bounds(kernel, a);
		nfp_scalar__sync_bounds(kernel, b);
	} else {
		spread_6_1(is_64, a);
		spread_6_1(is_64, b);
	}
}
