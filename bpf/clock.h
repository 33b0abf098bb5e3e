/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_CLOCK_H
#define BPF_CLOCK_H

/*
 * Time and random numbers for handlers (<spin/clock.h>, <spin/random.h>). They are the kernel's, or with spin_config.virtual_clock those
 * that a test sets. Included by packet.h, in the kernel and in the host build. The configuration is constant for the verifier, so it
 * removes the branch that is not taken.
 */
#include <spin/context.h>

#include "bpf/atomic.h"

SPIN_INLINE uint64_t spin_clock_ns_(void)
{
	return spin_config.virtual_clock ? spin_read_once(&spin_virtual.now_ns) : spin_kernel_ns();
}

SPIN_INLINE uint64_t spin_clock_coarse_ns_(void)
{
	return spin_config.virtual_clock ? spin_read_once(&spin_virtual.now_ns) : spin_kernel_coarse_ns();
}

/* No atomics: with a virtual clock only one HPU runs handlers. */
SPIN_INLINE uint32_t spin_random32_(const struct spin_packet *packet)
{
	(void)packet;
	if (!spin_config.virtual_clock)
		return spin_kernel_random();
	spin_virtual.draw += SPIN_RANDOM_STEP;
	return spin_random_mix_(spin_virtual.draw);
}

#endif
