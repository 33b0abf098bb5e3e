/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_STORAGE_H
#define HWMODEL_SOC_STORAGE_H

/*
 * The memories of the modelled PsPIN and their addresses; no timing. Used by the SoC's bus and by the NIC. Source:
 * hwmodel/README.md, "Structure".
 */
#include <stddef.h>
#include <stdint.h>

#include <hwmodel/elf.h>

#include "hwmodel/include/hwmodel/registers.h"
#include "hwmodel/target/parameters.h"

#define L1_CLUSTERS_MAX      44u     /* the own L1's alias is after them */
#define L1_PACKETS           0x4400u /* packet buffer; before it a reserved KiB and the stacks; after it scratchpads */
#define SOC_CLUSTER_HPUS_MAX 16u     /* number of stacks in front of the packet buffer */
#define SOC_NUMBERED_HPUS    8u      /* HPUs per cluster in programs' numbering of all HPUs */
#define L2_HANDLER           0x1c000000u
#define L2_HANDLER_BYTES     0x00400000u
#define L2_STATE             0x1c300000u /* state of spincc's images (pspin.ld), and handler memory of contexts by PsPIN's driver */
#define L2_STATE_BYTES       0x00100000u
#define L1_KIB_MAX           2048u /* the cluster's registers are after it */
#define L2_PACKET            0x1c400000u
#define L2_PACKET_KIB_MAX    12288u
#define PROGRAM              0x1d000000u
#define PROGRAM_BYTES        0x00008000u
#define PROGRAM_RESET        0x1d000080u

/* Address of host memory for the NIC: this model's choice; PsPIN leaves it to the host. */
#define HOST_BASE  0x4000000000ull
#define HOST_BYTES 0x00010000u /* unless resized */

/* The memory that an address belongs to. */
enum memory_region { MEMORY_NONE, MEMORY_L1, MEMORY_L2_HANDLER, MEMORY_L2_PACKET, MEMORY_PROGRAM };

/* The memories as a program and its handlers see them. */
struct storage {
	uint8_t *l1[L1_CLUSTERS_MAX];
	unsigned clusters;
	uint32_t l1_bytes;        /* of each */
	uint32_t l1_packet_bytes; /* from L1_PACKETS on */
	uint32_t l1_scratchpads;  /* offset in each, up to SPIN_ENTRY_BLOCKS */
	uint32_t l2_packet_bytes;
	uint8_t *l2_handler, *l2_packet, *program, *host;
	size_t host_bytes;
	size_t host_used;   /* all bytes after it are zero */
	int shares_packets; /* l2_packet is owned by another struct storage */
};

/* Returns 0, -EINVAL (larger than the address map) or -ENOMEM; all memory is zero. */
int storage__open(struct storage *memory, const struct pspin_target *target);
/* The same for another program of the machine: uses packet memory of `first`, which must be closed after it. */
int storage__open_more(struct storage *memory, const struct pspin_target *target, const struct storage *first);
void storage__close(struct storage *memory);

/* Resizes host memory and clears it. Returns 0, or -ENOMEM with the memory unchanged. */
int storage__resize_host(struct storage *memory, size_t bytes);
/* Returns the address of `bytes` bytes of host memory for writing; NULL if out of range. */
uint8_t *storage__host(struct storage *memory, uint64_t offset, size_t bytes);

/*
 * Finds `bytes` bytes at addr, which must be in one memory. Returns the region, and in *at the address in the simulator. `cluster` is
 * the cluster to which the alias of the own L1 refers; *of_cluster gets the cluster addressed. at and of_cluster may be NULL.
 */
enum memory_region storage__find(const struct storage *memory, uint32_t addr, size_t bytes, unsigned cluster, uint8_t **at,
				 unsigned *of_cluster);

/* Can a program have a segment at this address? */
enum storage_fit { STORAGE_FITS, STORAGE_IN_PACKET_BUFFER, STORAGE_OUTSIDE };
enum storage_fit storage__fit(const struct storage *memory, const struct hw_elf_segment *segment);

/*
 * Fills the memories, which must be zero, from an image by load address; scratchpads are moved after its data in L1. A segment at a
 * cluster's own address of L1 goes to that cluster. One at L1_OWN goes to every cluster, since each HPU sees its own cluster's L1
 * there: PsPIN's runtime links per-cluster data to that address (.data_tiny_l1). Like PsPIN's simulator it copies only the bytes in the
 * file, so a segment without any does not overwrite another one at the same address (.stack at 0x10000000). Returns 0, or -EINVAL if
 * storage__fit() of a segment is not STORAGE_FITS.
 */
int storage__load(struct storage *memory, const struct hw_elf *elf);

#endif
