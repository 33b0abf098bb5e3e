/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The memories of the modelled PsPIN: allocates them, finds addresses in them and loads an image. No timing. Called by the SoC for
 * accesses, and by the NIC for accesses of its own and of the host.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hwmodel/soc/storage.h"

static int open_memories(struct storage *memory, const struct pspin_target *target, uint8_t *l2_packet)
{
	int missing = 0;

	memset(memory, 0, sizeof(*memory));
	if (target->clusters > L1_CLUSTERS_MAX || L1_PACKETS / 1024 + target->l1_packet_kib >= target->l1_kib ||
	    target->l1_kib > L1_KIB_MAX || target->l2_packet_kib > L2_PACKET_KIB_MAX)
		return -EINVAL;
	memory->clusters = (unsigned)target->clusters;
	memory->l1_bytes = (uint32_t)target->l1_kib * 1024;
	memory->l1_packet_bytes = (uint32_t)target->l1_packet_kib * 1024;
	memory->l1_scratchpads = L1_PACKETS + memory->l1_packet_bytes;
	memory->l2_packet_bytes = (uint32_t)target->l2_packet_kib * 1024;
	for (unsigned i = 0; i < memory->clusters; i++)
		missing |= !(memory->l1[i] = calloc(1, memory->l1_bytes));
	missing |= !(memory->l2_handler = calloc(1, L2_HANDLER_BYTES));
	memory->shares_packets = l2_packet != NULL;
	memory->l2_packet = l2_packet ? l2_packet : calloc(1, memory->l2_packet_bytes);
	missing |= !memory->l2_packet;
	missing |= !(memory->program = calloc(1, PROGRAM_BYTES));
	missing |= storage__resize_host(memory, HOST_BYTES) != 0;
	if (missing)
		storage__close(memory);
	return missing ? -ENOMEM : 0;
}

int storage__open(struct storage *memory, const struct pspin_target *target)
{
	return open_memories(memory, target, NULL);
}

int storage__open_more(struct storage *memory, const struct pspin_target *target, const struct storage *first)
{
	return open_memories(memory, target, first->l2_packet);
}

void storage__close(struct storage *memory)
{
	for (unsigned i = 0; i < memory->clusters; i++)
		free(memory->l1[i]);
	free(memory->l2_handler);
	if (!memory->shares_packets)
		free(memory->l2_packet);
	free(memory->program);
	free(memory->host);
	memset(memory, 0, sizeof(*memory));
}

/* The system allocates zero pages on first touch, so a large memory costs only the part that is used. */
int storage__resize_host(struct storage *memory, size_t bytes)
{
	uint8_t *host = calloc(1, bytes);

	if (!host)
		return -ENOMEM;
	free(memory->host);
	memory->host = host;
	memory->host_bytes = bytes;
	memory->host_used = 0;
	return 0;
}

uint8_t *storage__host(struct storage *memory, uint64_t offset, size_t bytes)
{
	if (offset > memory->host_bytes || bytes > memory->host_bytes - offset)
		return NULL;
	if (memory->host_used < offset + bytes)
		memory->host_used = offset + bytes;
	return memory->host + offset;
}

static int holds(uint32_t base, uint32_t size, uint32_t addr, size_t bytes)
{
	return addr - base < size && bytes <= size - (addr - base);
}

enum memory_region storage__find(const struct storage *memory, uint32_t addr, size_t bytes, unsigned cluster, uint8_t **at,
				 unsigned *of_cluster)
{
	enum memory_region region = MEMORY_NONE;
	unsigned of = cluster;
	uint8_t *where = NULL;

	if (holds(L2_HANDLER, L2_HANDLER_BYTES, addr, bytes)) {
		region = MEMORY_L2_HANDLER;
		where = memory->l2_handler + (addr - L2_HANDLER);
	} else if (holds(L2_PACKET, memory->l2_packet_bytes, addr, bytes)) {
		region = MEMORY_L2_PACKET;
		where = memory->l2_packet + (addr - L2_PACKET);
	} else if (holds(L1_OWN, memory->l1_bytes, addr, bytes)) {
		region = MEMORY_L1;
		where = memory->l1[cluster] + (addr - L1_OWN);
	} else if (holds(L1_GLOBAL, memory->clusters * L1_STRIDE, addr, bytes)) {
		of = (addr - L1_GLOBAL) / L1_STRIDE;
		if (holds(L1_GLOBAL + of * L1_STRIDE, memory->l1_bytes, addr, bytes)) {
			region = MEMORY_L1;
			where = memory->l1[of] + (addr - L1_GLOBAL) % L1_STRIDE;
		}
	} else if (holds(PROGRAM, PROGRAM_BYTES, addr, bytes)) {
		region = MEMORY_PROGRAM;
		where = memory->program + (addr - PROGRAM);
	}
	if (at)
		*at = where;
	if (of_cluster)
		*of_cluster = of;
	return region;
}

enum storage_fit storage__fit(const struct storage *memory, const struct hw_elf_segment *segment)
{
	uint32_t from = segment->paddr & (L1_STRIDE - 1);

	switch (storage__find(memory, segment->paddr, segment->mem_bytes, 0, NULL, NULL)) {
	case MEMORY_L2_HANDLER:
	case MEMORY_PROGRAM:
		return STORAGE_FITS;
	case MEMORY_L1:
		return from + segment->mem_bytes > L1_PACKETS && from < L1_PACKETS + memory->l1_packet_bytes ? STORAGE_IN_PACKET_BUFFER
													     : STORAGE_FITS;
	default:
		return STORAGE_OUTSIDE;
	}
}

static void fill_l1(struct storage *memory, const struct hw_elf_segment *segment)
{
	uint32_t from = segment->paddr & (L1_STRIDE - 1), end = (from + segment->mem_bytes + 63) & ~63u;
	unsigned first = segment->paddr - L1_OWN < L1_STRIDE ? 0 : (segment->paddr - L1_GLOBAL) / L1_STRIDE;
	unsigned last = segment->paddr - L1_OWN < L1_STRIDE ? memory->clusters - 1 : first;

	for (unsigned i = first; i <= last; i++)
		memcpy(memory->l1[i] + from, segment->data, segment->file_bytes);
	if (memory->l1_scratchpads < end)
		memory->l1_scratchpads = end < memory->l1_bytes ? end : memory->l1_bytes;
}

int storage__load(struct storage *memory, const struct hw_elf *elf)
{
	struct hw_elf_segment segment;

	for (unsigned i = 0; !hw_elf__segment(elf, i, &segment); i++) {
		uint8_t *at;

		if (storage__fit(memory, &segment) != STORAGE_FITS)
			return -EINVAL;
		if (storage__find(memory, segment.paddr, segment.mem_bytes, 0, &at, NULL) == MEMORY_L1)
			fill_l1(memory, &segment);
		else
			memcpy(at, segment.data, segment.file_bytes);
	}
	return 0;
}
