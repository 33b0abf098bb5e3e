/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_CLUSTER_H
#define SPIN_TARGET_RV32_CLUSTER_H

/*
 * Memory of handlers with one copy per cluster of the NIC's cores (<spin/cluster.h>), on PsPIN: a section at the address that means every
 * cluster's own L1 (hwmodel/image/pspin.ld). Copies of other clusters are read by cluster DMA: a load from there takes 22 cycles per word.
 * Included by <spin/target/rv32.h>.
 */
#define SPIN_PER_CLUSTER_(TYPE, name) TYPE name __attribute__((section(".spin_clusters"), aligned(64)))

#define SPIN_LOCAL_(v, name) ((void)(v)->packet, &(name))

#define SPIN_MERGE_(v, name, to)                                                                   \
	({                                                                                         \
		_Static_assert(__builtin_types_compatible_p(__typeof__(*(to)), __typeof__(name)),  \
			       "SPIN_MERGE " #name ": `to` must point to a variable of its type"); \
		(void)(v)->packet;                                                                 \
		spin_merge_(&(name), (to), sizeof(name));                                          \
	})

extern uint32_t spin_clusters_; /* number of clusters; the loader of the image may change it */

#define SPIN_MERGE_WORDS_ 32u /* per transfer: two buffers on the HPU's stack of 1 KiB */

/* Piece by piece: copies from each cluster to a buffer, sums up in another buffer, and copies that to the destination. */
static __attribute__((noinline, unused)) void spin_merge_(const void *own, void *to, uint32_t bytes)
{
	const uint32_t clusters = *(volatile uint32_t *)&spin_clusters_;
	uint32_t sum[SPIN_MERGE_WORDS_], part[SPIN_MERGE_WORDS_];

	for (uint32_t at = 0; at < bytes; at += sizeof(sum)) {
		uint32_t length = spin_least_(bytes - at, sizeof(sum));

		spin_move_(spin_nic_address_(sum), spin_l1_of_(0, (uintptr_t)own + at), length);
		for (uint32_t cluster = 1; cluster < clusters; cluster++) {
			spin_move_(spin_nic_address_(part), spin_l1_of_(cluster, (uintptr_t)own + at), length);
			for (uint32_t i = 0; i < length / sizeof(sum[0]); i++)
				sum[i] += part[i];
		}
		spin_move_(spin_nic_address_((uint8_t *)to + at), spin_nic_address_(sum), length);
	}
}

#endif
