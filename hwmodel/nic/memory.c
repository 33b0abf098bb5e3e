/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The memories of the modelled NIC that a context's program and its host see: the NIC's by the addresses of its cores (HPUs), host memory,
 * and the memory that handlers reach through a matching entry (host memory posted for messages). Called when a context is opened, by its
 * commands, and by users of <hwmodel/pspin.h>.
 */
#include <errno.h>
#include <string.h>

#include <spin/target/rv32_entry.h>

#include "hwmodel/nic/memory.h"

/* --- the NIC's memories by HPU address --- */

int pspin__symbol(const struct pspin *nic, const char *name, uint32_t *addr, uint32_t *bytes)
{
	return hw_elf__symbol(nic->elf, name, addr, bytes);
}

/* In images of spincc only memory of clusters is at the address that every cluster uses for its own L1 (pspin.ld). */
static int is_cluster_memory(const struct pspin *nic, uint32_t addr)
{
	return !nic->device->soc.third_party_image && addr - L1_OWN < L1_STRIDE;
}

/* Reads words of L1 as the sum over all clusters. */
static int read_sum(const struct pspin *nic, uint32_t addr, uint8_t *to, size_t bytes)
{
	uint8_t *at;

	if ((addr | bytes) % 4 || storage__find(nic->memory, addr, bytes, 0, &at, NULL) != MEMORY_L1)
		return -EFAULT;
	memset(to, 0, bytes);
	for (unsigned cluster = 0; cluster < nic->memory->clusters; cluster++) {
		storage__find(nic->memory, addr, bytes, cluster, &at, NULL);
		for (size_t i = 0; i < bytes; i += 4) {
			uint32_t sum, part;

			memcpy(&sum, to + i, 4);
			memcpy(&part, at + i, 4);
			sum += part;
			memcpy(to + i, &sum, 4);
		}
	}
	return 0;
}

/* Writes the value to one cluster's copy and clears the others. */
static int write_one(struct pspin *nic, unsigned owner, uint32_t addr, const void *from, size_t bytes)
{
	uint8_t *at;

	for (unsigned cluster = 0; cluster < nic->memory->clusters; cluster++) {
		if (storage__find(nic->memory, addr, bytes, cluster, &at, NULL) != MEMORY_L1)
			return -EFAULT;
		if (cluster == owner)
			memcpy(at, from, bytes);
		else
			memset(at, 0, bytes);
	}
	return 0;
}

/* Returns the bytes of an entry of the SPIN_PER_HPU table that contains `addr`, and the table's start; 0 if no table does. */
static uint32_t per_hpu_entry_bytes(const struct pspin *nic, uint32_t addr, uint32_t *start)
{
	uint32_t first, end, bytes;
	const char *name;

	if (pspin__symbol(nic, "spin_per_hpu_start_", &first, NULL) || pspin__symbol(nic, "spin_per_hpu_end_", &end, NULL) ||
	    addr < first || addr >= end)
		return 0;
	name = hw_elf__symbol_at(nic->elf, addr, start);
	if (!name || pspin__symbol(nic, name, NULL, &bytes))
		return 0;
	return bytes / SPIN_HPUS_MAX;
}

/* Writes each per-HPU entry to its HPU's cluster; other data to the first cluster. */
static int write_clusters(struct pspin *nic, uint32_t addr, const uint8_t *from, size_t bytes)
{
	uint32_t start = 0, entry_bytes = per_hpu_entry_bytes(nic, addr, &start), part;
	int rc = 0;

	if (!entry_bytes)
		return write_one(nic, 0, addr, from, bytes);
	for (size_t done = 0; !rc && done < bytes; done += part) {
		uint32_t off = addr + (uint32_t)done - start, owner = off / entry_bytes / SOC_NUMBERED_HPUS;

		part = entry_bytes - off % entry_bytes;
		if (part > bytes - done)
			part = (uint32_t)(bytes - done);
		rc = write_one(nic, owner < nic->memory->clusters ? owner : 0, start + off, from + done, part);
	}
	return rc;
}

int pspin__read(const struct pspin *nic, uint32_t addr, void *to, size_t bytes)
{
	uint8_t *at;

	if (is_cluster_memory(nic, addr))
		return read_sum(nic, addr, to, bytes);
	if (storage__find(nic->memory, addr, bytes, 0, &at, NULL) == MEMORY_NONE)
		return -EFAULT;
	memcpy(to, at, bytes);
	return 0;
}

/* Returns the core that runs the context's program on an HPU. */
static struct rv32_core *core_of(const struct pspin *nic, unsigned hpu)
{
	return nic->device->soc.hpus[hpu].programs[nic->number].core;
}

int pspin__write(struct pspin *nic, uint32_t addr, const void *from, size_t bytes)
{
	uint8_t *at;
	enum memory_region region = storage__find(nic->memory, addr, bytes, 0, &at, NULL);

	if (is_cluster_memory(nic, addr))
		return write_clusters(nic, addr, from, bytes);
	if (region == MEMORY_NONE)
		return -EFAULT;
	memcpy(at, from, bytes);
	if (region == MEMORY_PROGRAM)
		for (unsigned i = 0; i < nic->device->soc.hpu_count; i++)
			rv32_core__flush_code(core_of(nic, i));
	return 0;
}

void pspin__set_profile(struct pspin *nic, struct rv32_profile *profile)
{
	for (unsigned i = 0; i < nic->device->soc.hpu_count; i++)
		rv32_core__set_profile(core_of(nic, i), profile);
}

void pspin__program(const struct pspin *nic, uint32_t *addr, uint32_t *bytes)
{
	*addr = PROGRAM;
	*bytes = nic->program_end;
}

/* --- memory that handlers reach through an entry --- */

static uint32_t block_addr(unsigned me)
{
	return SPIN_ENTRY_BLOCKS + me * (uint32_t)sizeof(struct spin_entry_block);
}

static struct spin_entry_block *block(const struct pspin *nic, unsigned me)
{
	return (struct spin_entry_block *)(nic->memory->l1[0] + (block_addr(me) - L1_GLOBAL));
}

int entry_memory__check(const struct pspin *nic, const struct spin_segment *segment, unsigned segments)
{
	const uint64_t have = nic->memory->host_bytes;

	if (segments > SPIN_SEGMENTS_MAX || (segments && !segment))
		return -EINVAL;
	for (unsigned i = 0; i < segments; i++)
		if (segment[i].start % 8 || segment[i].length % 8 || !segment[i].length ||
		    (uint64_t)segment[i].start + segment[i].length > have)
			return -EINVAL;
	return 0;
}

void entry_memory__post(struct pspin *nic, unsigned me, const struct spin_segment *segment, unsigned segments)
{
	struct spin_entry_block *to = block(nic, me);
	struct nic_segments *own = &nic->segments[me];

	memset(to, 0, sizeof(*to));
	memset(own, 0, sizeof(*own));
	to->segments = own->count = segments;
	for (unsigned i = 0; i < segments; i++) {
		own->segment[i] = to->segment[i] = segment[i];
		to->segment[i].start += (uint32_t)HOST_BASE;
	}
}

void entry_memory__place(struct pspin *nic, unsigned me, uint32_t start, uint32_t length)
{
	nic->segments[me].memory = block(nic, me)->memory = (struct spin_segment){ start, length };
	block(nic, me)->memory.start += (uint32_t)HOST_BASE;
}

void entry_memory__reset(struct pspin *nic)
{
	const struct spin_segment all = { 0, (uint32_t)nic->memory->host_bytes & ~7u };

	for (unsigned i = 0; i < SPIN_MES_MAX; i++)
		entry_memory__post(nic, i, NULL, 0);
	if (nic->first_segments.count)
		entry_memory__post(nic, 0, nic->first_segments.segment, nic->first_segments.count);
	else if (!nic->messages)
		entry_memory__post(nic, 0, &all, 1);
}

void entry_memory__describe(const struct pspin *nic, unsigned me, struct hpu_scratch *scratch)
{
	const struct nic_segments *own = &nic->segments[me];

	scratch->entry = block_addr(me);
	scratch->handler_high = (uint32_t)(HOST_BASE >> 32);
	scratch->handler_low = (uint32_t)HOST_BASE + own->segment[0].start;
	scratch->handler_segments = own->count;
	scratch->handler_bytes = 0;
	for (unsigned i = 0; i < own->count; i++)
		scratch->handler_bytes += own->segment[i].length;
}

int entry_memory__holds(const struct pspin *nic, unsigned me, uint64_t offset, uint32_t bytes)
{
	const struct nic_segments *own = &nic->segments[me];

	if (offset >= own->memory.start && offset + bytes <= (uint64_t)own->memory.start + own->memory.length)
		return 1;
	for (unsigned i = 0; i < own->count; i++)
		if (offset >= own->segment[i].start && offset + bytes <= (uint64_t)own->segment[i].start + own->segment[i].length)
			return 1;
	return 0;
}

static int is_entry(const struct pspin *nic, unsigned me)
{
	return !nic->is_image && me < (nic->messages ? SPIN_MES_MAX : 1);
}

int pspin__ct(const struct pspin *nic, unsigned me, struct spin_ct *out)
{
	if (!is_entry(nic, me))
		return -ENOENT;
	*out = block(nic, me)->ct;
	return 0;
}

int pspin__set_ct(struct pspin *nic, unsigned me, const struct spin_ct *ct)
{
	if (!is_entry(nic, me))
		return -ENOENT;
	block(nic, me)->ct = *ct;
	return 0;
}

/* --- host memory --- */

int nic_host__open(struct pspin *nic, uint32_t bytes, const struct spin_segment *segment, unsigned segments)
{
	if (storage__resize_host(nic->memory, bytes ? bytes : SPIN_HOST_BYTES))
		return -ENOMEM;
	if (entry_memory__check(nic, segment, segments))
		return -EINVAL;
	nic->first_segments.count = segments;
	if (segments)
		memcpy(nic->first_segments.segment, segment, segments * sizeof(*segment));
	entry_memory__reset(nic);
	return 0;
}

void nic_host__clear(struct pspin *nic)
{
	memset(nic->memory->host, 0, nic->memory->host_used);
	nic->memory->host_used = 0;
	entry_memory__reset(nic);
}

size_t pspin__host_bytes(const struct pspin *nic)
{
	return nic->memory->host_bytes;
}

int pspin__host_read(const struct pspin *nic, size_t offset, void *to, size_t bytes)
{
	if (offset > nic->memory->host_bytes || bytes > nic->memory->host_bytes - offset)
		return -ERANGE;
	memcpy(to, nic->memory->host + offset, bytes);
	return 0;
}

int pspin__host_write(struct pspin *nic, size_t offset, const void *from, size_t bytes)
{
	uint8_t *at = storage__host(nic->memory, offset, bytes);

	if (!at)
		return -ERANGE;
	memcpy(at, from, bytes);
	return 0;
}
