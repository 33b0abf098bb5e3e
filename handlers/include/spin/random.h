/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_RANDOM_H
#define SPIN_RANDOM_H

#include <spin/bytes.h>

/*
 * Random numbers for handlers. uint32_t spin_random32(v): 32 random bits, new in each call. `v` is the handler's argument. For sampling,
 * spreading and back-off, not for secrets. True in 1 of n calls: !(spin_random32(p) % n), or without a division spin_random32(p) <
 * 0xffffffffu / n.
 *
 *	kernel            bpf_get_prandom_u32(), which the kernel seeds; about 5 ns
 *	HPU model         spin_random_mix_() of a draw, a register of the HPU driver: each HPU has its own sequence, which is the same
 *	                  in each run. About 14 cycles
 *	tests (vectors)   the same function: from the start of a vector the draws are 1 x, 2 x, 3 x SPIN_RANDOM_STEP, with `seed N` they
 *	                  continue from N. So a vector's numbers are known and the same in all engines
 *
 * PsPIN has no source of random numbers; the model's draws are an extension, like its clock (<spin/clock.h>).
 */
#define spin_random32(v) spin_random32_((v)->packet)

/* Added from one draw to the next: 2^32 divided by the golden ratio. */
#define SPIN_RANDOM_STEP 0x9e3779b9u

/* The random number of a draw. It is a bijection (MurmurHash3's finalizer), so a sequence has each number once. */
SPIN_INLINE uint32_t spin_random_mix_(uint32_t draw)
{
	draw = (draw ^ draw >> 16) * 0x85ebca6bu;
	draw = (draw ^ draw >> 13) * 0xc2b2ae35u;
	return draw ^ draw >> 16;
}

#endif
