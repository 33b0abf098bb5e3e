/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_HPU_H
#define SOC_HPU_H

/*
 * One HPU: a core, its driver (tasks and commands), its front end of the
 * cluster DMA, and the way from the core to everything else.
 */
#include <hwmodel/rv32.h>

#include <hwmodel/pspin.h>

#include "../target/parameters.h"
#include "storage.h"

/* What the driver's registers say during a task, in their order from HPU_TASK on. */
struct hpu_descriptor {
	uint32_t handler_mem, handler_mem_bytes;
	uint32_t packet_l1, packet_bytes;
	uint32_t scratchpad[4], scratchpad_bytes[4];
	uint32_t host_mem_high, host_mem_low, host_mem_bytes;
	uint32_t packet_l2, home_cluster, message_id;
};

enum hpu_command_kind {
	HPU_NIC_SEND,
	HPU_TO_HOST,
	HPU_FROM_HOST,
	HPU_HOST_DIRECT,
	HPU_COMMAND_KINDS
};

/* A command as it leaves the HPU; the data is as it stands when it is issued. */
struct hpu_command {
	enum hpu_command_kind kind;
	uint8_t *nic;  /* source or, from the host, destination; NULL for host-direct */
	uint64_t host; /* host address; 0 for sends of NIC memory */
	uint32_t bytes;
	uint32_t flow; /* of sends: HPU_SEND_* */
	const uint8_t *put; /* of HPU_SEND_PUT: struct spin_put */
	uint32_t data[2]; /* host-direct */
};

/* Who takes commands. Returns 0, or -EFAULT if the host address is none. */
struct hpu_sink {
	void *arg;
	int (*command)(void *arg, const struct hpu_command *command);
};

/* How a task went; counts since it was given. */
struct hpu_task_result {
	struct rv32_stats stats; /* of the whole turn of the runtime loop */
	uint32_t commands[HPU_COMMAND_KINDS];
	uint32_t error; /* 0: none; the first one */
	uint32_t error_pc, error_tval; /* as in struct pspin_task */
	uint32_t value; /* what the function returned, in a0 */
};

#define HPU_COMMAND_SLOTS_MAX 8
#define HPU_DMA_MAX 16

struct hpu {
	struct storage *memory;
	const struct pspin_target *target;
	struct hpu_sink sink;
	struct rv32_core *core;
	unsigned cluster, index;
	uint32_t watchdog_cycles; /* a task that runs longer is stopped; at first the target's */

	/* For tests: told of each access that is done beside the core's windows; NULL: nobody. */
	void (*watch)(void *arg, const struct rv32_bus_request *req);
	void *watch_arg;

	/* driver */
	uint32_t function; /* 0: no task */
	struct hpu_descriptor task;
	uint32_t l2_packet_end; /* of what the handler may reach in L2 packet memory */
	struct hpu_task_result result;
	uint64_t command_done[HPU_COMMAND_SLOTS_MAX]; /* cycle; 0: never used */
	uint32_t info, words[7], last_id, tested;

	/* cluster DMA front end */
	uint32_t dma_reg[5];
	uint64_t dma_done[HPU_DMA_MAX]; /* cycle, by id modulo HPU_DMA_MAX */
	uint32_t dma_last;

	/* load-reserved */
	uint32_t reserved_addr;
	int reserved;

	/* where the core waits for a task, for the watchdog */
	uint32_t idle_pc, idle_reg[32];
};

/*
 * 0, -ENOMEM, or -EINVAL for more command slots than HPU_COMMAND_SLOTS_MAX.
 * Memory, target and sink stay the caller's.
 */
int hpu__open(struct hpu *hpu, struct storage *memory, const struct pspin_target *target,
	      unsigned cluster, unsigned index, struct hpu_sink sink);
void hpu__close(struct hpu *hpu);

/* From reset to waiting for the first task. 0, or -EFAULT if it never does. */
int hpu__boot(struct hpu *hpu);

/* Runs the function at address `function` as a task, to the next wait for one. */
void hpu__run(struct hpu *hpu, uint32_t function, const struct hpu_descriptor *task,
	      struct hpu_task_result *out);

/* The core's accesses beside its windows (rv32_bus). */
enum rv32_bus_status hpu__access(void *arg, struct rv32_bus_request *req);

/* Registers, by offset; on entry value is what to store, on return what was loaded. */
enum rv32_bus_status driver__access(struct hpu *hpu, struct rv32_bus_request *req, uint32_t off);
enum rv32_bus_status dma__access(struct hpu *hpu, struct rv32_bus_request *req, uint32_t off);

/* Issues the command in hpu->info and words at `cycle`; returns when it is done. */
uint64_t command__issue(struct hpu *hpu, uint64_t cycle);

#endif
