/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The HPU's commands to the NIC and the host: what they say, and when they are done. */
#include <spin/put.h>

#include "commands.h"
#include "soc.h"

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
		if (hpu->soc->plain_sends) {
			command->flow = HPU_SEND_REPLY;
			return !w[3];
		}
		return w[1] <= HPU_SEND_FORWARD && (!w[3] || w[1] == HPU_SEND_PUT);
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
static int locate(const struct hpu *hpu, struct hpu_command *command, uint32_t nic, enum memory_region *region,
		  unsigned *cluster)
{
	uint8_t *put;

	if (command->kind == HPU_HOST_DIRECT)
		return 1;
	if (command->kind == HPU_NIC_SEND && command->flow == HPU_SEND_PUT) {
		if (find(hpu, hpu->words[0], sizeof(struct spin_put), &put, NULL) == MEMORY_NONE)
			return 0;
		command->put = put;
		if (command->host)
			return 1;
	}
	*region = find(hpu, nic, command->bytes, &command->nic, cluster);
	return *region != MEMORY_NONE;
}

uint64_t command__issue(struct hpu *hpu, uint64_t cycle)
{
	enum memory_region region = MEMORY_NONE;
	struct hpu_command command = { .issued = cycle };
	const struct soc *soc = hpu->soc;
	unsigned cluster = hpu->cluster;
	uint32_t nic = 0;
	int ok = hpu->begun && decode(hpu, &command, &nic) && locate(hpu, &command, nic, &region, &cluster);

	if (ok)
		command.done = commands__issue(soc->commands, cycle, cluster, &command, region, &command.left);
	if (!ok || soc->nic->command(soc->nic_arg, hpu->running, &command)) {
		if (!hpu->result.error)
			hpu->result.error = PSPIN_ERROR_COMMAND;
		return cycle + 1;
	}
	hpu->result.commands[command.kind]++;
	return command.done;
}
