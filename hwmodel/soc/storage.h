/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_STORAGE_H
#define HWMODEL_SOC_STORAGE_H

/* PsPIN's memories and their addresses; no timing. Used by the SoC's bus and by the NIC. Source: hwmodel/README.md, "Structure". */
#include <stddef.h>
#include <stdint.h>

#include <hwmodel/elf.h>

#include "hwmodel/include/hwmodel/registers.h"
#include "hwmodel/target/parameters.h"

#define L1_CLUSTERS_MAX      44u     /* the own L1's alias lies behind them */
#define L1_PACKETS           0x4400u /* packet buffer; before it 1 KiB reserved and the stacks; after it scratchpads */
#define SOC_CLUSTER_HPUS_MAX 16u     /* stacks before the packet buffer */
#define SOC_NUMBERED_HPUS    8u      /* of a cluster, in the numbers that programs give to HPUs of all of them */
#define L2_HANDLER           0x1c000000u
#define L2_HANDLER_BYTES     0x00400000u
#define L2_STATE             0x1c300000u /* in it: of our images (pspin.ld), and what PsPIN's driver gives contexts */
#define L2_STATE_BYTES       0x00100000u
#define L1_KIB_MAX           2048u /* the cluster's registers lie behind it */
#define L2_PACKET            0x1c400000u
#define L2_PACKET_KIB_MAX    12288u
#define PROGRAM              0x1d000000u
#define PROGRAM_BYTES        0x00008000u
#define PROGRAM_RESET        0x1d000080u

/* Host memory as the NIC reaches it: this model's; PsPIN leaves it to the host. */
#define HOST_BASE  0x4000000000ull
#define HOST_BYTES 0x00010000u /* unless resized */

enum memory_region { MEMORY_NONE, MEMORY_L1, MEMORY_L2_HANDLER, MEMORY_L2_PACKET, MEMORY_PROGRAM };

struct storage {
	uint8_t *l1[L1_CLUSTERS_MAX];
	unsigned clusters;
	uint32_t l1_bytes;        /* of each */
	uint32_t l1_packet_bytes; /* from L1_PACKETS on */
	uint32_t l1_scratchpads;  /* offset in each, up to SPIN_ENTRY_BLOCKS */
	uint32_t l2_packet_bytes;
	uint8_t *l2_handler, *l2_packet, *program, *host;
	size_t host_bytes;
	size_t host_used;   /* behind it all is zero */
	int shares_packets; /* l2_packet is another one's */
};

/* 0, -EINVAL (more than the address map has room for) or -ENOMEM; all memory is zero. */
int storage__open(struct storage *memory, const struct pspin_target *target);
/* The same for another program of the machine: packet memory is that of `first`, which is closed after it. */
int storage__open_more(struct storage *memory, const struct pspin_target *target, const struct storage *first);
void storage__close(struct storage *memory);

/* Another size of host memory, all of it zero. 0 or -ENOMEM, and it is as before. */
int storage__resize_host(struct storage *memory, size_t bytes);
/* `bytes` bytes of host memory at its offset; NULL if it has not as many. May be written. */
uint8_t *storage__host(struct storage *memory, uint64_t offset, size_t bytes);

/*
 * What stands at addr for `bytes` bytes, all in one memory: the region and, in
 * *at, where that is in the simulator. `cluster` is whose L1 the own alias
 * means; the cluster addressed goes to *of_cluster. Both results may be NULL.
 */
enum memory_region storage__find(const struct storage *memory, uint32_t addr, size_t bytes, unsigned cluster, uint8_t **at,
				 unsigned *of_cluster);

/* Where a program may have something from the start. */
enum storage_fit { STORAGE_FITS, STORAGE_IN_PACKET_BUFFER, STORAGE_OUTSIDE };
enum storage_fit storage__fit(const struct storage *memory, const struct hw_elf_segment *segment);

/*
 * Fills the memories, which are zero, from an image by load address; scratchpads go behind what it has in L1. A segment at a
 * cluster's own address of L1 is in that cluster's; one at L1_OWN is in every cluster's, since each HPU finds its own cluster's
 * there: PsPIN's runtime links what each cluster has for itself to that address (.data_tiny_l1). PsPIN's simulator, too, zeroes
 * L1 and then fills from the bytes in the file alone: a segment without any takes nothing away from another at the same place,
 * as its .stack at 0x10000000 does not. 0 or -EINVAL: storage__fit() of a segment is not STORAGE_FITS.
 */
int storage__load(struct storage *memory, const struct hw_elf *elf);

#endif
