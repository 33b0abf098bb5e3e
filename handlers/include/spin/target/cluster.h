/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_CLUSTER_H
#define SPIN_TARGET_CLUSTER_H

/*
 * Memory of handlers with one copy per cluster of processors (<spin/cluster.h>), on BPF and in the host build: an array, which HPUs share
 * by their numbers. The declaration tag tells libspin that the variable's value is the sum. Included by <spin/target/frame.h>.
 */
#define SPIN_PER_CLUSTER_(TYPE, name) TYPE name[SPIN_CLUSTERS_MAX] SPIN_TABLE_ATTR_ SPIN_CLUSTER_ATTR_

#define SPIN_LOCAL_(v, name) (&(name)[spin_my_hpu(v) & (SPIN_CLUSTERS_MAX - 1)])

#define SPIN_MERGE_(v, name, to)                                                                               \
	({                                                                                                     \
		_Static_assert(__builtin_types_compatible_p(__typeof__(*(to)), __typeof__((name)[0])),         \
			       "SPIN_MERGE " #name ": `to` must point to a variable of its type");             \
		(void)(v)->packet;                                                                             \
		spin_merge_((const uint32_t *)(name), (uint32_t *)(to), sizeof((name)[0]) / sizeof(uint32_t)); \
	})

/* The verifier sees one iteration with an unknown index; with bounded loops it follows each. */
SPIN_INLINE void spin_merge_(const uint32_t *copies, uint32_t *to, uint32_t words)
{
	uint64_t round = 0;

	for (uint32_t i = spin_verifier_forget32(0); i < words && spin_can_loop_(&round, words); i = spin_verifier_forget32(i + 1)) {
		const volatile uint32_t *at = (const uint32_t *)SPIN_OPAQUE_(copies + i);
		uint32_t sum = 0;

		SPIN_UNROLL_
		for (uint32_t copy = 0; copy < SPIN_CLUSTERS_MAX; copy++)
			sum += at[copy * words];
		to[i] = sum;
	}
}

#endif
