/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The HPU's commands to the NIC and the host: what they say, and when they are done. */
#include <spin/put.h>

#include "hwmodel/soc/commands.h"
#include "hwmodel/soc/soc.h"

/* Returns 0 for a type that does not exist. */
static int decode(const struct hpu *hpu, struct hpu_command *command, uint32_t *nic)
{
	const uint32_t *w = hpu->words;

	switch (hpu->info & 6) {
	case HPU_COMMAND_HOST_DMA:
		command->kind = w[4] & 1 ? HPU_TO_HOST : HPU_FROM_HOST;
		command->host = (uint64_t)w[1] << 32 | w[0];
		*nic = w[2];
		command->bytes = w[3];
		return 1;
	case HPU_COMMAND_NIC_SEND:
		command->kind = HPU_NIC_SEND;
		command->flow = w[1];
		command->host = w[3] ? (uint64_t)w[3] << 32 | w[2] : 0;
		*nic = w[3] ? 0 : w[2];
		command->bytes = w[4];
		if (hpu->soc->is_foreign) {
			command->flow = HPU_SEND_REPLY;
			return !w[3];
		}
		command->detail = w[5];
		return w[1] <= HPU_SEND_ACKED && (!w[3] || w[1] == HPU_SEND_PUT || w[1] == HPU_SEND_ACKED);
	case HPU_COMMAND_HOST_DIRECT:
		command->kind = HPU_HOST_DIRECT;
		command->host = (uint64_t)w[1] << 32 | w[0];
		*nic = 0;
		command->bytes = w[2] >> 1;
		command->data[0] = w[3];
		command->data[1] = w[4];
		return command->bytes <= sizeof(command->data);
	}
	return 0;
}

/*
 * NIC memory as a command names it: an HPU's alias of its own L1 is none, only that cluster knows it.
 */
static enum memory_region find(const struct hpu *hpu, uint32_t nic, uint32_t bytes, uint8_t **at, unsigned *cluster)
{
	enum memory_region region = storage__find(hpu->memory, nic, bytes, hpu->cluster, at, cluster);

	return nic - L1_OWN < hpu->memory->l1_bytes || region == MEMORY_PROGRAM ? MEMORY_NONE : region;
}

/* What it reads or writes in NIC memory. Returns 0 if that is not there. */
static int locate(const struct hpu *hpu, struct hpu_command *command, uint32_t nic, enum memory_region *region, unsigned *cluster)
{
	uint8_t *put;

	if (command->kind == HPU_HOST_DIRECT)
		return 1;
	if (command->kind == HPU_NIC_SEND && command->flow != HPU_SEND_REPLY && command->flow != HPU_SEND_FORWARD) {
		uint32_t bytes = command->flow == HPU_SEND_ACKED ? sizeof(struct spin_put_acked) : sizeof(struct spin_put);

		if (find(hpu, hpu->words[0], bytes, &put, NULL) == MEMORY_NONE)
			return 0;
		command->put = put;
		if (command->host)
			return 1;
	}
	command->nic_addr = nic;
	*region = find(hpu, nic, command->bytes, &command->nic, cluster);
	return *region != MEMORY_NONE;
}

static void set_done(struct hpu *hpu, unsigned slot, uint64_t cycle)
{
	const struct pspin_target *target = hpu->target;
	int is_direct = hpu->commands[slot].kind == HPU_HOST_DIRECT;

	hpu->commands[slot].done = cycle;
	hpu->command_free[slot] = cycle + (is_direct ? target->slot_reuse_direct : target->slot_reuse);
}

void command__issue(struct hpu *hpu, uint64_t cycle, unsigned slot)
{
	struct hpu_command *command = &hpu->commands[slot];
	const struct soc *soc = hpu->soc;
	uint32_t nic = 0;

	*command = (struct hpu_command){ .issued = cycle, .task = hpu->running, .cluster = hpu->cluster, .done = UINT64_MAX };
	for (unsigned i = 0; i < HPU_COMMAND_KINDS; i++)
		command->number += hpu->result.commands[i];
	if (!hpu->begun || !decode(hpu, command, &nic) || !locate(hpu, command, nic, &command->region, &command->cluster) ||
	    soc->nic->command(soc->nic_arg, hpu->running, command)) {
		if (!hpu->result.error)
			hpu->result.error = PSPIN_ERROR_COMMAND;
		set_done(hpu, slot, cycle + 1);
		return;
	}
	hpu->result.commands[command->kind]++;
	hpu->command_free[slot] = UINT64_MAX;
	commands__issue(soc->commands, cycle, hpu, slot);
}

void command__known(struct hpu *hpu, unsigned slot)
{
	const struct soc *soc = hpu->soc;

	set_done(hpu, slot, hpu->commands[slot].done);
	if (soc->nic->known)
		soc->nic->known(soc->nic_arg, &hpu->commands[slot]);
	scheduler__commands_known(hpu);
	if (hpu->parked)
		driver__commands_known(hpu);
	if (!hpu->asks)
		return;
	hpu->asks = 0;
	hpu->away = 0;
	soc__wake(hpu->soc, hpu, soc->now);
}

uint64_t command__all_done(const struct hpu *hpu)
{
	uint64_t done = 0;

	for (unsigned i = 0; i < HPU_COMMAND_SLOTS_MAX; i++)
		if (hpu->command_free[i] > done)
			done = hpu->command_free[i];
	return done;
}
