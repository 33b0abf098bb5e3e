/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_BPF_BLUR_H
#define SPIN_BPF_BLUR_H

/* Any memory that others may write; nobody does. */
static uint32_t spin_any SPIN_MPQ_ATTR_;

/*
 * The same number, of which the verifier knows nothing: to it `any & ~any` may be anything. A loop
 * that counts so, and has spin_go_on_() in its way round, is one step to it, not as many as it takes;
 * and ways that meet behind a number are one.
 */
static inline __attribute__((always_inline, unused)) uint32_t spin_blur(uint32_t v)
{
	uint32_t any = *(volatile uint32_t *)&spin_any;

	return v + (any & spin_opaque_(~any));
}

#endif
