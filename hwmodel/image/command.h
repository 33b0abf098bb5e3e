/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_IMAGE_COMMAND_H
#define HWMODEL_IMAGE_COMMAND_H

/*
 * Commands of an HPU, one of the NIC's cores that run handlers, to the NIC, in PsPIN's register layout (spin_send_packet and
 * spin_dma_to_host of its runtime). Included by task.h into handler images, and called by the handler API (<spin/target/rv32_command.h>). A
 * command needs one of the HPU's four command slots and blocks until one is free. A handler must wait for a command only before it changes
 * what the command reads: the driver withholds the task's feedback until all commands are done.
 */
#include <stdint.h>

#include "hwmodel/include/hwmodel/registers.h"

/* The task descriptor: the driver's registers from HPU_TASK on; each load takes one cycle. */
struct hpu_task {
	uint32_t handler_mem, handler_mem_bytes; /* L2 */
	uint32_t packet_l1, copied_bytes;        /* bytes of the packet that were copied to L1 */
	uint32_t scratchpad[4];                  /* per cluster */
	uint32_t scratchpad_bytes[4];
	uint32_t host_mem_high, host_mem_low, host_mem_bytes;
	uint32_t packet_l2;
	uint32_t home_cluster;
	uint32_t message_id;
};
_Static_assert(sizeof(struct hpu_task) == HPU_DOORBELL - HPU_TASK, "hpu_task is the driver's register block");

#define HPU_REG_(off) (*(volatile uint32_t *)(HPU_DRIVER + (off)))

static inline __attribute__((always_inline)) uint32_t hpu_command_issue_(uint32_t info)
{
	HPU_REG_(HPU_COMMAND_INFO) = info;
	return HPU_REG_(HPU_COMMAND_ISSUE);
}

/*
 * Blocks until the command with that id is done. An issue that had to wait for a slot returns an id other than its command's
 * (<spin/target/rv32_command.h>).
 */
static inline __attribute__((always_inline)) void hpu_command_wait(uint32_t id)
{
	HPU_REG_(HPU_COMMAND_WAIT) = id;
}

/* Returns 1 if command 0 is done. The driver takes the id from the load's data, which is 0 for a core, so no other id can be tested. */
static inline __attribute__((always_inline)) _Bool hpu_command_test(uint32_t id)
{
	HPU_REG_(HPU_COMMAND_TEST) = id;
	return HPU_REG_(HPU_COMMAND_TEST);
}

/* Lets another thread of the HPU run. PsPIN's HPUs have one thread; there the write has no effect. */
static inline __attribute__((always_inline)) void hpu_command_yield(void)
{
	HPU_REG_(HPU_COMMAND_TEST) = HPU_YIELD;
}

/* Writes `bytes` bytes at NIC address `from` to the host's address. Returns the command's id. */
static inline __attribute__((always_inline)) uint32_t hpu_command_to_host(uint32_t host_high, uint32_t host_low, uint32_t from,
									  uint32_t bytes)
{
	HPU_REG_(HPU_COMMAND_WORD + 0) = host_low;
	HPU_REG_(HPU_COMMAND_WORD + 4) = host_high;
	HPU_REG_(HPU_COMMAND_WORD + 8) = from;
	HPU_REG_(HPU_COMMAND_WORD + 12) = bytes;
	HPU_REG_(HPU_COMMAND_WORD + 16) = 1; /* direction: NIC to host */
	return hpu_command_issue_(HPU_COMMAND_HOST_DMA);
}

/* Reads `bytes` bytes at the host's address to NIC address `to`. */
static inline __attribute__((always_inline)) uint32_t hpu_command_from_host(uint32_t host_high, uint32_t host_low, uint32_t to,
									    uint32_t bytes)
{
	HPU_REG_(HPU_COMMAND_WORD + 0) = host_low;
	HPU_REG_(HPU_COMMAND_WORD + 4) = host_high;
	HPU_REG_(HPU_COMMAND_WORD + 8) = to;
	HPU_REG_(HPU_COMMAND_WORD + 12) = bytes;
	HPU_REG_(HPU_COMMAND_WORD + 16) = 0; /* direction: host to NIC */
	return hpu_command_issue_(HPU_COMMAND_HOST_DMA);
}

/* Writes up to 8 bytes of immediate data to the host: host-direct. */
static inline __attribute__((always_inline)) uint32_t hpu_command_write(uint32_t host_high, uint32_t host_low, uint32_t bytes,
									uint32_t data_low, uint32_t data_high)
{
	HPU_REG_(HPU_COMMAND_WORD + 0) = host_low;
	HPU_REG_(HPU_COMMAND_WORD + 4) = host_high;
	HPU_REG_(HPU_COMMAND_WORD + 8) = bytes << 1 | 1;
	HPU_REG_(HPU_COMMAND_WORD + 12) = data_low;
	HPU_REG_(HPU_COMMAND_WORD + 16) = data_high;
	return hpu_command_issue_(HPU_COMMAND_HOST_DIRECT);
}

/*
 * Sends `bytes` bytes at NIC address `from`, or if `high` is not 0 at the host's address high:from. kind is HPU_SEND_*; put is the
 * address of struct spin_put, for kinds that make a new packet.
 */
static inline __attribute__((always_inline)) uint32_t hpu_command_send(uint32_t put, uint32_t kind, uint32_t high, uint32_t from,
								       uint32_t bytes)
{
	HPU_REG_(HPU_COMMAND_WORD + 0) = put;  /* address of struct spin_put; 0: the packet has its headers */
	HPU_REG_(HPU_COMMAND_WORD + 4) = kind; /* flow */
	HPU_REG_(HPU_COMMAND_WORD + 8) = from;
	HPU_REG_(HPU_COMMAND_WORD + 12) = high;
	HPU_REG_(HPU_COMMAND_WORD + 16) = bytes;
	return hpu_command_issue_(HPU_COMMAND_NIC_SEND);
}

/* Sends a request that is not a put: kind is HPU_SEND_GET or HPU_SEND_ATOMIC. */
static inline __attribute__((always_inline)) uint32_t hpu_command_request(uint32_t put, uint32_t kind, uint32_t from, uint32_t bytes,
									  uint32_t detail)
{
	HPU_REG_(HPU_COMMAND_WORD + 20) = detail;
	return hpu_command_send(put, kind, 0, from, bytes);
}

/* Reports why the task failed: HPU_ERROR_*. */
static inline __attribute__((always_inline)) void hpu_command_error(uint32_t code)
{
	HPU_REG_(HPU_ERROR) = code;
}

#define HPU_DMA_REG_(off) (*(volatile uint32_t *)(HPU_DMA + (off)))

/* Cluster DMA: copies `bytes` bytes within L1 and L2, by the addresses that all clusters know. Returns the transfer's id. */
static inline __attribute__((always_inline)) uint32_t hpu_dma_launch(uint32_t to, uint32_t from, uint32_t bytes)
{
	HPU_DMA_REG_(0) = from;
	HPU_DMA_REG_(4) = 0;
	HPU_DMA_REG_(8) = to;
	HPU_DMA_REG_(12) = 0;
	HPU_DMA_REG_(16) = bytes;
	return HPU_DMA_REG_(DMA_LAUNCH);
}

/* Transfers end in the order of their ids. After a return of 1 the compiler does not use older copies of what the transfer wrote. */
static inline __attribute__((always_inline)) _Bool hpu_dma_is_done(uint32_t id)
{
	_Bool is_done = (int32_t)(HPU_DMA_REG_(DMA_DONE) - id) >= 0;

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return is_done;
}

#endif
