/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_SCALAR_RANGE_H
#define KERNEL_NFP_SCALAR_RANGE_H

/*
 * Bounds and known bits of the numbers in a BPF program's registers, for one width (64 or 32 bits) at a time. Shared by scalar.c and
 * scalar_compare.c.
 */
#include "kernel/nfp/scalar_type.h"
#include "kernel/nfp/verdict.h"

/* The bounds of one view of a scalar, widened to 64 bits. */
struct range {
	uint64_t umin, umax;
	int64_t smin, smax;
	unsigned bits;
};

/* Known bits of a number: a bit set in mask is unknown, and then 0 in value (the kernel's tnum). */
struct bits {
	uint64_t value, mask;
};

static inline uint64_t u_limit(unsigned bits)
{
	return bits == 64 ? UINT64_MAX : UINT32_MAX;
}

static inline int64_t s_least(unsigned bits)
{
	return bits == 64 ? INT64_MIN : INT32_MIN;
}

static inline int64_t s_limit(unsigned bits)
{
	return bits == 64 ? INT64_MAX : INT32_MAX;
}

static inline uint64_t max_u(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t min_u(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline int64_t max_s(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static inline int64_t min_s(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline struct range view(const struct nfp_scalar *s, unsigned bits)
{
	if (bits == 64)
		return (struct range){ s->umin, s->umax, s->smin, s->smax, 64 };
	return (struct range){ s->umin32, s->umax32, s->smin32, s->smax32, 32 };
}

static inline void store(struct nfp_scalar *s, const struct range *r)
{
	if (r->bits == 64) {
		s->umin = r->umin;
		s->umax = r->umax;
		s->smin = r->smin;
		s->smax = r->smax;
	} else {
		s->umin32 = (uint32_t)r->umin;
		s->umax32 = (uint32_t)r->umax;
		s->smin32 = (int32_t)r->smin;
		s->smax32 = (int32_t)r->smax;
	}
}

static inline void unbound_unsigned(struct range *r)
{
	r->umin = 0;
	r->umax = u_limit(r->bits);
}

static inline void unbound_signed(struct range *r)
{
	r->smin = s_least(r->bits);
	r->smax = s_limit(r->bits);
}

static inline struct bits both_known(struct bits a, struct bits b)
{
	uint64_t value = a.value | b.value, mask = a.mask & b.mask;

	return (struct bits){ value & ~mask, mask };
}

static inline struct bits bits_and(struct bits a, struct bits b)
{
	uint64_t perhaps = (a.value | a.mask) & (b.value | b.mask), surely = a.value & b.value;

	return (struct bits){ surely, perhaps & ~surely };
}

static inline struct bits bits_or(struct bits a, struct bits b)
{
	uint64_t surely = a.value | b.value;

	return (struct bits){ surely, (a.mask | b.mask) & ~surely };
}

static inline struct bits known(const struct nfp_scalar *s)
{
	return (struct bits){ s->value, s->mask };
}

static inline void learn_bits(struct nfp_scalar *s, struct bits b)
{
	s->value = b.value;
	s->mask = b.mask;
}

/* Replaces the low half's bits. */
static inline struct bits with_low(struct bits all, struct bits low)
{
	return (struct bits){ (all.value & ~(uint64_t)UINT32_MAX) | (uint32_t)low.value,
			      (all.mask & ~(uint64_t)UINT32_MAX) | (uint32_t)low.mask };
}

/* Forgets the bounds for that width. */
void nfp_scalar__unbound(struct nfp_scalar *s, unsigned bits);
/* The bounds of all 64 bits become those of the low half, because the upper half is 0. */
void nfp_scalar__take_low(struct nfp_scalar *s);
/* Each view takes over what the others know. */
void nfp_scalar__sync_bounds(enum nfp_kernel kernel, struct nfp_scalar *s);

#endif
