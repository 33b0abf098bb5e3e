/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A context's host memory, of datagrams and of messages. */
#include <errno.h>
#include <string.h>

#include "hwmodel/nic/entry_memory.h"

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
