/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <string.h>

#include <spin/target/rv32_entry.h>

#include "hwmodel/nic/entry_memory.h"
#include "hwmodel/nic/hers.h"

static uint32_t block_at(unsigned me)
{
	return SPIN_ENTRY_BLOCKS + me * (uint32_t)sizeof(struct spin_entry_block);
}

static struct spin_entry_block *block(const struct pspin *nic, unsigned me)
{
	return (struct spin_entry_block *)(nic->memory->l1[0] + (block_at(me) - L1_GLOBAL));
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

void entry_memory__tell(const struct pspin *nic, unsigned me, struct hpu_scratch *scratch)
{
	const struct nic_segments *own = &nic->segments[me];

	scratch->entry = block_at(me);
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
	return nic->kind != &image_kind && me < (nic->messages ? SPIN_MES_MAX : 1);
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
