/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the NFP checker knows about the numbers in registers: models them as the kernel's verifier does (reg_bounds_sync(),
 * adjust_scalar_min_max_vals() and tnum_*() of 6.1 and 6.12). Called by the walk for each instruction. The arithmetic on all 64 bits and on
 * the low half uses the same functions, with a width in bits.
 */
#include <linux/bpf.h>

#include "kernel/nfp/scalar.h"
#include "kernel/nfp/scalar_range.h"

void nfp_scalar__unbound(struct nfp_scalar *s, unsigned bits)
{
	struct range r = { .bits = bits };

	unbound_unsigned(&r);
	unbound_signed(&r);
	store(s, &r);
}

void nfp_scalar__mark_unknown(struct nfp_scalar *s)
{
	s->value = 0;
	s->mask = UINT64_MAX;
	nfp_scalar__unbound(s, 64);
	nfp_scalar__unbound(s, 32);
}

void nfp_scalar__set(struct nfp_scalar *s, uint64_t value)
{
	*s = (struct nfp_scalar){ .value = value,
				  .umin = value,
				  .umax = value,
				  .smin = (int64_t)value,
				  .smax = (int64_t)value,
				  .umin32 = (uint32_t)value,
				  .umax32 = (uint32_t)value,
				  .smin32 = (int32_t)value,
				  .smax32 = (int32_t)value };
}

int nfp_scalar__is_constant(const struct nfp_scalar *s)
{
	return !s->mask;
}

int nfp_scalar__is_constant32(const struct nfp_scalar *s)
{
	return !(uint32_t)s->mask;
}

/* --- known bits --- */

static struct bits of_range(uint64_t min, uint64_t max)
{
	uint64_t differ = min ^ max, mask;
	int highest = differ ? 63 - __builtin_clzll(differ) : -1;

	if (highest == 63)
		return (struct bits){ 0, UINT64_MAX };
	mask = highest < 0 ? 0 : (2ull << highest) - 1;
	return (struct bits){ min & ~mask, mask };
}

static struct bits bits_add(struct bits a, struct bits b)
{
	uint64_t masks = a.mask + b.mask, values = a.value + b.value;
	uint64_t unknown = ((masks + values) ^ values) | a.mask | b.mask;

	return (struct bits){ values & ~unknown, unknown };
}

static struct bits bits_sub(struct bits a, struct bits b)
{
	uint64_t difference = a.value - b.value;
	uint64_t unknown = ((difference + a.mask) ^ (difference - b.mask)) | a.mask | b.mask;

	return (struct bits){ difference & ~unknown, unknown };
}

static struct bits bits_xor(struct bits a, struct bits b)
{
	uint64_t mask = a.mask | b.mask;

	return (struct bits){ (a.value ^ b.value) & ~mask, mask };
}

/* Long multiplication: adds a partial product for each bit of `a` that may be set. */
static struct bits bits_mul(struct bits a, struct bits b)
{
	struct bits sum = { a.value * b.value, 0 }, unsure = { 0, 0 };

	for (; a.value || a.mask; a.value >>= 1, a.mask >>= 1, b.value <<= 1, b.mask <<= 1) {
		if (a.value & 1)
			unsure = bits_add(unsure, (struct bits){ 0, b.mask });
		else if (a.mask & 1)
			unsure = bits_add(unsure, (struct bits){ 0, b.value | b.mask });
	}
	return bits_add(sum, unsure);
}

static struct bits low(struct bits all)
{
	return (struct bits){ (uint32_t)all.value, (uint32_t)all.mask };
}

/* --- deducing one view from another --- */

static void bounds_from_bits(struct nfp_scalar *s, unsigned bits)
{
	struct range r = view(s, bits);
	uint64_t limit = u_limit(bits), sign = bits == 64 ? 1ull << 63 : 1ull << 31;
	uint64_t value = s->value & limit, mask = s->mask & limit;
	int64_t least = (int64_t)(value | (mask & sign)), most = (int64_t)(value | (mask & ~sign));

	if (bits == 32) {
		least = (int32_t)least;
		most = (int32_t)most;
	}
	r.smin = max_s(r.smin, least);
	r.smax = min_s(r.smax, most);
	r.umin = max_u(r.umin, value);
	r.umax = min_u(r.umax, value | mask);
	store(s, &r);
}

/* A signed bound as an unsigned number of r->bits. */
static uint64_t as_u(const struct range *r, int64_t bound)
{
	return (uint64_t)bound & u_limit(r->bits);
}

static int64_t as_s(const struct range *r, uint64_t bound)
{
	return r->bits == 64 ? (int64_t)bound : (int32_t)bound;
}

/* 6.1: deduces one view's bounds from the other's, case by case. */
static void deduce_6_1(struct range *r)
{
	if (r->smin >= 0 || r->smax < 0) {
		r->umin = max_u(as_u(r, r->smin), r->umin);
		r->umax = min_u(as_u(r, r->smax), r->umax);
		r->smin = as_s(r, r->umin);
		r->smax = as_s(r, r->umax);
	} else if (as_s(r, r->umax) >= 0) {
		r->smin = as_s(r, r->umin);
		r->umax = min_u(as_u(r, r->smax), r->umax);
		r->smax = as_s(r, r->umax);
	} else if (as_s(r, r->umin) < 0) {
		r->umin = max_u(as_u(r, r->smin), r->umin);
		r->smin = as_s(r, r->umin);
		r->smax = as_s(r, r->umax);
	}
}

static void deduce_6_12(struct range *r)
{
	if (as_s(r, r->umin) <= as_s(r, r->umax)) {
		r->smin = max_s(r->smin, as_s(r, r->umin));
		r->smax = min_s(r->smax, as_s(r, r->umax));
	}
	if (as_u(r, r->smin) <= as_u(r, r->smax)) {
		r->umin = max_u(as_u(r, r->smin), r->umin);
		r->umax = min_u(as_u(r, r->smax), r->umax);
	} else if (r->umax < as_u(r, r->smin)) { /* the two overlap only at the non-negative end */
		r->smin = as_s(r, r->umin);
		r->umax = min_u(r->umax, as_u(r, r->smax));
	} else if (as_u(r, r->smax) < r->umin) { /* only at the negative end */
		r->smax = as_s(r, r->umax);
		r->umin = max_u(r->umin, as_u(r, r->smin));
	}
}

/* 6.12: derives the low half's bounds from those of all 64 bits, if their upper halves agree. */
static void bounds32_from_64(struct nfp_scalar *s)
{
	if (s->umin >> 32 == s->umax >> 32) {
		s->umin32 = (uint32_t)max_u(s->umin32, (uint32_t)s->umin);
		s->umax32 = (uint32_t)min_u(s->umax32, (uint32_t)s->umax);
		if ((int32_t)s->umin <= (int32_t)s->umax) {
			s->smin32 = (int32_t)max_s(s->smin32, (int32_t)s->umin);
			s->smax32 = (int32_t)min_s(s->smax32, (int32_t)s->umax);
		}
	}
	if (s->smin >> 32 == s->smax >> 32) {
		if ((uint32_t)s->smin <= (uint32_t)s->smax) {
			s->umin32 = (uint32_t)max_u(s->umin32, (uint32_t)s->smin);
			s->umax32 = (uint32_t)min_u(s->umax32, (uint32_t)s->smax);
		}
		if ((int32_t)s->smin <= (int32_t)s->smax) {
			s->smin32 = (int32_t)max_s(s->smin32, (int32_t)s->smin);
			s->smax32 = (int32_t)min_s(s->smax32, (int32_t)s->smax);
		}
	}
	if ((uint32_t)(s->umin >> 32) + 1 == (uint32_t)(s->umax >> 32) && (int32_t)s->umin < 0 && (int32_t)s->umax >= 0) {
		s->smin32 = (int32_t)max_s(s->smin32, (int32_t)s->umin);
		s->smax32 = (int32_t)min_s(s->smax32, (int32_t)s->umax);
	}
	if ((uint32_t)(s->smin >> 32) + 1 == (uint32_t)(s->smax >> 32) && (int32_t)s->smin < 0 && (int32_t)s->smax >= 0) {
		s->smin32 = (int32_t)max_s(s->smin32, (int32_t)s->smin);
		s->smax32 = (int32_t)min_s(s->smax32, (int32_t)s->smax);
	}
}

static uint64_t join_halves(uint64_t high, uint32_t low_half)
{
	return (high & ~(uint64_t)UINT32_MAX) | low_half;
}

/* 6.12: derives the bounds of all 64 bits from the low half's. */
static void bounds64_from_32(struct nfp_scalar *s)
{
	s->umin = max_u(s->umin, join_halves(s->umin, s->umin32));
	s->umax = min_u(s->umax, join_halves(s->umax, s->umax32));
	s->smin = max_s(s->smin, (int64_t)join_halves((uint64_t)s->smin, s->umin32));
	s->smax = min_s(s->smax, (int64_t)join_halves((uint64_t)s->smax, s->umax32));
	if (s->smin32 >= 0 && s->smin >= INT32_MIN && s->smax <= INT32_MAX) {
		s->smin = s->smin32;
		s->smax = s->smax32;
		s->umin = (uint64_t)s->smin32;
		s->umax = (uint64_t)s->smax32;
		learn_bits(s, both_known(known(s), of_range(s->umin, s->umax)));
	}
}

static void deduce(enum nfp_kernel kernel, struct nfp_scalar *s)
{
	struct range all, half;

	if (kernel >= NFP_KERNEL_6_12)
		bounds32_from_64(s);
	half = view(s, 32);
	kernel >= NFP_KERNEL_6_12 ? deduce_6_12(&half) : deduce_6_1(&half);
	store(s, &half);
	all = view(s, 64);
	kernel >= NFP_KERNEL_6_12 ? deduce_6_12(&all) : deduce_6_1(&all);
	store(s, &all);
	if (kernel >= NFP_KERNEL_6_12)
		bounds64_from_32(s);
}

/* Each view takes over what the others know. */
void nfp_scalar__sync_bounds(enum nfp_kernel kernel, struct nfp_scalar *s)
{
	struct bits all, half;

	bounds_from_bits(s, 32);
	bounds_from_bits(s, 64);
	for (int i = 0; i < (kernel >= NFP_KERNEL_6_12 ? 3 : 1); i++)
		deduce(kernel, s);
	all = both_known(known(s), of_range(s->umin, s->umax));
	half = both_known(low(known(s)), of_range(s->umin32, s->umax32));
	learn_bits(s, both_known((struct bits){ all.value & ~(uint64_t)UINT32_MAX, all.mask | UINT32_MAX },
				 (struct bits){ half.value, half.mask | ~(uint64_t)UINT32_MAX }));
	learn_bits(s, both_known(known(s), all));
	bounds_from_bits(s, 32);
	bounds_from_bits(s, 64);
}

/* The bounds of all 64 bits become those of the low half, because the upper half is 0. */
void nfp_scalar__take_low(struct nfp_scalar *s)
{
	learn_bits(s, low(known(s)));
	s->umin = s->umin32;
	s->umax = s->umax32;
	if (s->smin32 >= 0) {
		s->smin = s->smin32;
		s->smax = s->smax32;
	} else {
		s->smin = 0;
		s->smax = UINT32_MAX;
	}
}

void nfp_scalar__truncate32(enum nfp_kernel kernel, struct nfp_scalar *s)
{
	nfp_scalar__take_low(s);
	nfp_scalar__sync_bounds(kernel, s);
}

void nfp_scalar__truncate(enum nfp_kernel kernel, struct nfp_scalar *s, unsigned bytes)
{
	uint64_t mask;

	if (bytes >= 8)
		return;
	mask = (1ull << (8 * bytes)) - 1;
	learn_bits(s, (struct bits){ s->value & mask, s->mask & mask });
	if ((s->umin & ~mask) == (s->umax & ~mask)) {
		s->umin &= mask;
		s->umax &= mask;
	} else {
		s->umin = 0;
		s->umax = mask;
	}
	s->smin = (int64_t)s->umin;
	s->smax = (int64_t)s->umax;
	if (bytes < 4)
		nfp_scalar__unbound(s, 32);
	nfp_scalar__sync_bounds(kernel, s);
}

/* --- arithmetic --- */

static int in_signed(const struct range *r, int64_t value)
{
	return value >= s_least(r->bits) && value <= s_limit(r->bits);
}

static void range_add(struct range *d, const struct range *s)
{
	int64_t least, most;

	if (__builtin_add_overflow(d->smin, s->smin, &least) || __builtin_add_overflow(d->smax, s->smax, &most) || !in_signed(d, least) ||
	    !in_signed(d, most)) {
		unbound_signed(d);
	} else {
		d->smin = least;
		d->smax = most;
	}
	if (d->umin > u_limit(d->bits) - s->umin || d->umax > u_limit(d->bits) - s->umax) {
		unbound_unsigned(d);
	} else {
		d->umin += s->umin;
		d->umax += s->umax;
	}
}

static void range_sub(struct range *d, const struct range *s)
{
	int64_t least, most;

	if (__builtin_sub_overflow(d->smin, s->smax, &least) || __builtin_sub_overflow(d->smax, s->smin, &most) || !in_signed(d, least) ||
	    !in_signed(d, most)) {
		unbound_signed(d);
	} else {
		d->smin = least;
		d->smax = most;
	}
	if (d->umin < s->umax) {
		unbound_unsigned(d);
	} else {
		d->umin -= s->umax;
		d->umax -= s->umin;
	}
}

static void range_mul(struct range *d, const struct range *s)
{
	uint64_t factor_max = d->bits == 64 ? UINT32_MAX : UINT16_MAX;

	if (d->smin < 0 || s->smin < 0 || d->umax > factor_max || s->umax > factor_max) {
		unbound_signed(d);
		unbound_unsigned(d);
		return;
	}
	d->umin *= s->umin;
	d->umax *= s->umax;
	if (d->umax > (uint64_t)s_limit(d->bits)) {
		unbound_signed(d);
	} else {
		d->smin = (int64_t)d->umin;
		d->smax = (int64_t)d->umax;
	}
}

/* The signed bounds after AND, OR and XOR, whose unsigned bounds are known. */
static void signed_after_logic(enum nfp_kernel kernel, struct range *d, int both_positive)
{
	if (kernel >= NFP_KERNEL_6_12 ? as_s(d, d->umin) <= as_s(d, d->umax) : both_positive) {
		d->smin = as_s(d, d->umin);
		d->smax = as_s(d, d->umax);
	} else {
		unbound_signed(d);
	}
}

static void range_logic(enum nfp_kernel kernel, int op, struct range *d, const struct range *s, struct bits result)
{
	uint64_t limit = u_limit(d->bits);
	int both_positive = d->smin >= 0 && s->smin >= 0;

	result.value &= limit;
	result.mask &= limit;
	if (op == BPF_AND) {
		d->umin = result.value;
		d->umax = min_u(d->umax, s->umax);
	} else {
		d->umin = op == BPF_OR ? max_u(d->umin, s->umin) : result.value;
		d->umax = result.value | result.mask;
	}
	signed_after_logic(kernel, d, both_positive);
}

/* AND, OR and XOR: the bounds of both views come from the bits of the result. */
static void logic(enum nfp_kernel kernel, int op, struct nfp_scalar *d, const struct nfp_scalar *s)
{
	struct bits result = op == BPF_AND  ? bits_and(known(d), known(s))
			     : op == BPF_OR ? bits_or(known(d), known(s))
					    : bits_xor(known(d), known(s));

	learn_bits(d, result);
	for (unsigned bits = 32; bits <= 64; bits += 32) {
		struct range to = view(d, bits), from = view(s, bits);

		if (!(result.mask & u_limit(bits))) {
			to.umin = to.umax = result.value & u_limit(bits);
			to.smin = to.smax = as_s(&to, to.umin);
		} else {
			range_logic(kernel, op, &to, &from, result);
		}
		store(d, &to);
	}
}

static void range_left(struct range *r, unsigned by)
{
	if (by >= r->bits || r->umax > 1ull << (r->bits - 1 - by)) {
		unbound_unsigned(r);
	} else {
		r->umin <<= by;
		r->umax <<= by;
	}
}

static void shift_left(int is_64, struct nfp_scalar *d, unsigned by)
{
	struct range all = view(d, 64), half = view(d, 32);

	unbound_signed(&all);
	if (by == 32 && d->smax32 >= 0)
		all.smax = (int64_t)d->smax32 << 32;
	if (by == 32 && d->smin32 >= 0)
		all.smin = (int64_t)d->smin32 << 32;
	range_left(&all, by);
	unbound_signed(&half);
	range_left(&half, by);
	if (is_64) {
		learn_bits(d, (struct bits){ d->value << by, d->mask << by });
		store(d, &all);
		store(d, &half);
		bounds_from_bits(d, 64);
	} else {
		learn_bits(d, (struct bits){ (uint32_t)((uint32_t)d->value << by), (uint32_t)((uint32_t)d->mask << by) });
		store(d, &half);
		nfp_scalar__unbound(d, 64);
	}
	bounds_from_bits(d, 32);
}

static void shift_right(int is_64, int is_signed, struct nfp_scalar *d, unsigned by)
{
	struct range r = view(d, is_64 ? 64 : 32);

	if (is_signed) {
		r.smin >>= by;
		r.smax >>= by;
		unbound_unsigned(&r);
		learn_bits(d, is_64 ? (struct bits){ (uint64_t)((int64_t)d->value >> by), (uint64_t)((int64_t)d->mask >> by) }
				    : (struct bits){ (uint32_t)((int32_t)d->value >> by), (uint32_t)((int32_t)d->mask >> by) });
	} else {
		unbound_signed(&r);
		r.umin >>= by;
		r.umax >>= by;
		learn_bits(d, is_64 ? (struct bits){ d->value >> by, d->mask >> by }
				    : (struct bits){ (uint32_t)d->value >> by, (uint32_t)d->mask >> by });
	}
	store(d, &r);
	nfp_scalar__unbound(d, is_64 ? 32 : 64);
	bounds_from_bits(d, is_64 ? 64 : 32);
	if (is_64)
		bounds_from_bits(d, 32);
}

/* Whether the verifier computes a result. If not, it forgets all 64 bits, even after a 32-bit operation. */
static int is_computed(enum nfp_kernel kernel, int op, int is_64, const struct nfp_scalar *s)
{
	int constant = is_64 ? nfp_scalar__is_constant(s) : nfp_scalar__is_constant32(s);

	switch (op) {
	case BPF_ADD:
	case BPF_SUB:
	case BPF_AND:
		return 1;
	case BPF_OR:
	case BPF_XOR:
	case BPF_MUL:
		return kernel >= NFP_KERNEL_6_12 || constant;
	case BPF_LSH:
	case BPF_RSH:
	case BPF_ARSH:
		return constant && s->umax < (is_64 ? 64u : 32u);
	default: /* division: 6.1 forgets the value, but keeps that a 32-bit operation clears the upper half */
		return kernel < NFP_KERNEL_6_12 && constant;
	}
}

void nfp_scalar__alu(enum nfp_kernel kernel, int op, int is_64, struct nfp_scalar *d, const struct nfp_scalar *s)
{
	if (!is_computed(kernel, op, is_64, s)) {
		nfp_scalar__mark_unknown(d);
		return;
	}
	switch (op) {
	case BPF_ADD:
	case BPF_SUB:
	case BPF_MUL:
		for (unsigned bits = 32; bits <= 64; bits += 32) {
			struct range to = view(d, bits), from = view(s, bits);

			(op == BPF_ADD ? range_add : op == BPF_SUB ? range_sub : range_mul)(&to, &from);
			store(d, &to);
		}
		learn_bits(d, (op == BPF_ADD ? bits_add : op == BPF_SUB ? bits_sub : bits_mul)(known(d), known(s)));
		break;
	case BPF_AND:
	case BPF_OR:
	case BPF_XOR:
		logic(kernel, op, d, s);
		break;
	case BPF_LSH:
		shift_left(is_64, d, (unsigned)s->umin);
		break;
	case BPF_RSH:
	case BPF_ARSH:
		shift_right(is_64, op == BPF_ARSH, d, (unsigned)s->umin);
		break;
	default:
		nfp_scalar__mark_unknown(d);
	}
	if (!is_64)
		nfp_scalar__take_low(d);
	nfp_scalar__sync_bounds(kernel, d);
}

int nfp_scalar__contains(const struct nfp_scalar *outer, const struct nfp_scalar *inner)
{
	return outer->umin <= inner->umin && outer->umax >= inner->umax && outer->smin <= inner->smin && outer->smax >= inner->smax &&
	       outer->umin32 <= inner->umin32 && outer->umax32 >= inner->umax32 && outer->smin32 <= inner->smin32 &&
	       outer->smax32 >= inner->smax32 && !(inner->mask & ~outer->mask) && !((inner->value ^ outer->value) & ~outer->mask);
}
