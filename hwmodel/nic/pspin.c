/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* <hwmodel/pspin.h>: a NIC's memory, and one packet at a time. */
#include <errno.h>
#include <string.h>

#include "hwmodel/nic/messages.h"

const char *const *pspin__assumptions(void)
{
	static const char *const lines[] = {
		"matching a packet with its context, entry and message: NIC hardware that keeps up with the link",
		"of messages, too: VLAN tags and match bits are taken out of the frame, a scratchpad is "
		"zeroed, duplicates, parking, acknowledgements; what a handler returned is known with its feedback",
		"Ethernet header and egress checksums: NIC hardware, not charged",
		"a host and a wire that take data as fast as the NIC gives it, unless the target says otherwise",
		"puts: the NIC makes the packet's headers; what it keeps of matching entries is there for handlers",
		"what a header handler writes into a packet that lies in L1 is there for the payload handler, a rewritten port "
		"for the completion handler, though the packet is copied again for each: the NIC keeps it",
		"a context that may have more messages in flight than the target has MPQs has as many MPQs",
		"scratchpads of more messages than an L1 has room for are moved by the NIC, not charged",
		"bodies do not include commands still running at the handler's return; the packet's latency does",
		"memory protection: own stack, packet buffer and scratchpads in L1 (all of L1 for a program of others, as "
		"PsPIN has it), handler memory, the packet in L2",
		NULL,
	};

	return lines;
}

int pspin__symbol(const struct pspin *nic, const char *name, uint32_t *addr, uint32_t *bytes)
{
	return hw_elf__symbol(nic->elf, name, addr, bytes);
}

/* Of our images only memory of clusters has the address that means every cluster's own L1 (pspin.ld). */
static int is_of_clusters(const struct pspin *nic, uint32_t addr)
{
	return !nic->device->soc.is_foreign && addr - L1_OWN < L1_STRIDE;
}

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

/* The value to one cluster's copy; the others become 0. */
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

/* The bytes of an entry of the SPIN_PER_HPU table that `addr` is in, and where the table begins; 0: it is in none. */
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

/* What an HPU has for itself, to its own cluster; else to the first one. */
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

	if (is_of_clusters(nic, addr))
		return read_sum(nic, addr, to, bytes);
	if (storage__find(nic->memory, addr, bytes, 0, &at, NULL) == MEMORY_NONE)
		return -EFAULT;
	memcpy(to, at, bytes);
	return 0;
}

/* The core of the context's program on an HPU. */
static struct rv32_core *core_of(const struct pspin *nic, unsigned hpu)
{
	return nic->device->soc.hpus[hpu].programs[nic->number].core;
}

int pspin__write(struct pspin *nic, uint32_t addr, const void *from, size_t bytes)
{
	uint8_t *at;
	enum memory_region region = storage__find(nic->memory, addr, bytes, 0, &at, NULL);

	if (is_of_clusters(nic, addr))
		return write_clusters(nic, addr, from, bytes);
	if (region == MEMORY_NONE)
		return -EFAULT;
	memcpy(at, from, bytes);
	if (region == MEMORY_PROGRAM)
		for (unsigned i = 0; i < nic->device->soc.hpu_count; i++)
			rv32_core__flush_code(core_of(nic, i));
	return 0;
}

int pspin__packet(struct pspin *nic, const void *frame, size_t frame_bytes, struct pspin_result *out)
{
	struct pspin_offer offer = { .frame = frame, .frame_bytes = frame_bytes, .end_of_message = 1 };
	int rc = nic->device->count > 1 ? -EOPNOTSUPP : nic__settle(nic);

	memset(out, 0, sizeof(*out));
	journal__begin(&nic->journal);
	if (rc)
		return rc;
	nic__one_at_a_time(nic, 1);
	nic->device->asked_packet = offer.message = nic->device->wire.next_packet;
	rc = wire__offer(nic, &offer);
	if (!rc)
		rc = nic__settle(nic);
	nic__one_at_a_time(nic, 0);
	if (rc)
		return rc;
	out->verdict = nic->device->asked.verdict;
	out->reason = nic->device->asked.reason;
	out->frame = nic->device->asked.frame;
	out->frame_bytes = nic->device->asked.frame_bytes;
	if (nic->messages)
		entries__had_events(nic->messages);
	record__had_work(nic);
	return journal__end(&nic->journal, out);
}

uint64_t pspin__count(const struct pspin *nic, enum spin_reason reason)
{
	return (unsigned)reason < SPIN_REASON_COUNT ? nic->count[reason] : 0;
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
