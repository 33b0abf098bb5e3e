/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_HANDOVER_H
#define BPF_HANDOVER_H

/*
 * Tail-calls the program of an execution context, the handlers for a packet, by a tree of tests on the 64-bit set of the contexts that
 * match the packet: the lowest bit that is set is the context's slot. Each leaf is a tail call with a constant index, which the JIT
 * turns into a direct jump. From a C switch the compiler would make one tail call with a variable index, an indirect jump: 14 ns with
 * retpolines instead of 1 (measured). Called by root.bpf.c.
 */
/* clang-format off */
#define SPIN_TAIL_CALL_(slot) \
	__asm__ volatile("r1 = %[ctx]\n\t" \
			 "r2 = %[programs] ll\n\t" \
			 "r3 = %[index]\n\t" \
			 "call 12" \
			 : : [ctx] "r"(ctx), [programs] "i"(&spin_contexts), [index] "i"(slot) \
			 : "r0", "r1", "r2", "r3", "r4", "r5", "memory")
/* clang-format on */

/* One level of the tree: is the bit among the `half` bits from `slot` on? */
#define SPIN_TEST_(bits, slot, half) ((bits) & ((1u << (half)) - 1) << ((slot) % 32))
#define SPIN_LEAVES_2_(bits, slot)     \
	if (SPIN_TEST_(bits, slot, 1)) \
		SPIN_TAIL_CALL_(slot); \
	else                           \
		SPIN_TAIL_CALL_((slot) + 1)
#define SPIN_LEAVES_4_(bits, slot)                \
	if (SPIN_TEST_(bits, slot, 2)) {          \
		SPIN_LEAVES_2_(bits, slot);       \
	} else {                                  \
		SPIN_LEAVES_2_(bits, (slot) + 2); \
	}
#define SPIN_LEAVES_8_(bits, slot)               \
	if (SPIN_TEST_(bits, slot, 4)) {         \
		SPIN_LEAVES_4_(bits, slot)       \
	} else {                                 \
		SPIN_LEAVES_4_(bits, (slot) + 4) \
	}
#define SPIN_LEAVES_16_(bits, slot)              \
	if (SPIN_TEST_(bits, slot, 8)) {         \
		SPIN_LEAVES_8_(bits, slot)       \
	} else {                                 \
		SPIN_LEAVES_8_(bits, (slot) + 8) \
	}
#define SPIN_LEAVES_32_(bits, slot)                \
	if (SPIN_TEST_(bits, slot, 16)) {          \
		SPIN_LEAVES_16_(bits, slot)        \
	} else {                                   \
		SPIN_LEAVES_16_(bits, (slot) + 16) \
	}

_Static_assert(SPIN_CONTEXTS_MAX == 64, "the tree below has 64 leaves");

/* Returns only if the slot has no program. */
SPIN_INLINE void spin_tail_call_context(struct xdp_md *ctx, uint64_t match)
{
	uint32_t low = (uint32_t)match, high = (uint32_t)(match >> 32);

	if (low) {
		SPIN_LEAVES_32_(low, 0)
	} else {
		SPIN_LEAVES_32_(high, 32)
	}
}

#endif
