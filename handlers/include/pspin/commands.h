/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef PSPIN_COMMANDS_H
#define PSPIN_COMMANDS_H

/*
 * Commands of an HPU, a core of the NIC, to the NIC and the host, by the calls of PsPIN's runtime. Included by handler.h for handler files
 * of `spincc --api pspin`. An HPU can have four commands in flight; a fifth waits until one is done. A task's feedback waits for all of its
 * commands, so a handler must wait only before it changes what a command reads, or reads what a command writes. The handle may be NULL if
 * the caller never waits: PsPIN's examples pass `false`.
 */
#include <stdbool.h>
#include <stdint.h>

#include "hwsched.h"

typedef uint32_t spin_cmd_t;

static inline int pspin_command_(uint32_t word0, uint32_t word1, uint32_t word2, uint32_t word3, uint32_t word4, uint32_t info,
				 spin_cmd_t *handle)
{
	spin_cmd_t id;

	__asm__ volatile("" : : : "memory"); /* completes stores that the command reads */
	MMIO_WRITE(CMD_WORD0, word0);
	MMIO_WRITE(CMD_WORD1, word1);
	MMIO_WRITE(CMD_WORD2, word2);
	MMIO_WRITE(CMD_WORD3, word3);
	MMIO_WRITE(CMD_WORD4, word4);
	MMIO_WRITE(CMD_INFO, info);
	id = MMIO_READ(CMD_ISSUE);
	__asm__ volatile("" : : : "memory");
	if (handle)
		*handle = id;
	return 0;
}

/* Waits until the command is done. */
static inline int spin_cmd_wait(spin_cmd_t handle)
{
	MMIO_WRITE(CMD_WAIT, handle);
	__asm__ volatile("" : : : "memory");
	return 0;
}

/* PsPIN's driver tests command 0, whatever the handle: only a task's first command can be tested. */
static inline int spin_cmd_test(spin_cmd_t handle, bool *completed)
{
	MMIO_WRITE(CMD_TEST, handle);
	*completed = MMIO_READ(CMD_TEST) == 1;
	__asm__ volatile("" : : : "memory");
	return 0;
}

/* Sends `length` bytes at an address in L1 or L2, unchanged. The packet's first send is its reply. */
static inline int spin_send_packet(void *data, uint32_t length, spin_cmd_t *handle)
{
	return pspin_command_(0, 0, (uint32_t)data, 0, length, 2, handle);
}

/* The same with a destination, for a NIC with RDMA. The model's NIC only sends the bytes. */
static inline int spin_rdma_put(uint32_t dest, void *data, uint32_t length, spin_cmd_t *handle)
{
	return pspin_command_(dest, 1, (uint32_t)data, 0, length, 2, handle);
}

/* Copies `length` bytes at nic_addr, in L1 (by its global address) or L2, to host memory. generate_event has no effect here. */
static inline int spin_dma_to_host(uint64_t host_addr, uint32_t nic_addr, uint32_t length, bool generate_event, spin_cmd_t *xfer)
{
	return pspin_command_((uint32_t)host_addr, (uint32_t)(host_addr >> 32), nic_addr, length, 1, generate_event, xfer);
}

static inline int spin_dma_from_host(uint64_t host_addr, uint32_t nic_addr, uint32_t length, bool generate_event, spin_cmd_t *xfer)
{
	return pspin_command_((uint32_t)host_addr, (uint32_t)(host_addr >> 32), nic_addr, length, 0, generate_event, xfer);
}

/* Writes 8 bytes directly to host memory, little-endian. */
static inline int spin_write_to_host(uint64_t host_addr, uint64_t user_data, spin_cmd_t *xfer)
{
	return pspin_command_((uint32_t)host_addr, (uint32_t)(host_addr >> 32), 8 << 1 | 1, (uint32_t)user_data,
			      (uint32_t)(user_data >> 32), 4, xfer);
}
#define spin_host_write spin_write_to_host

#endif
