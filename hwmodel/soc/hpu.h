/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_HPU_H
#define HWMODEL_SOC_HPU_H

/*
 * One HPU: its core and the core's turns (hpu.c), the bus from the core to memories and registers (bus.c), and the driver for tasks
 * and commands (driver.c).
 */
#include "hwmodel/soc/state.h"

/* The HPU's next task is of another program than the one that runs: a handler has ended its own task, and continues. */
static inline int hpu__is_others(const struct hpu *hpu)
{
	return hpu->function && hpu->of != &hpu->programs[hpu->task.program];
}

/* 0, -ENOMEM, or -EINVAL for more command slots than HPU_COMMAND_SLOTS_MAX. */
int hpu__open(struct hpu *hpu, struct soc *soc, unsigned cluster, unsigned index);
void hpu__close(struct hpu *hpu);

/* One more program, soc->memories[program] being there; it has not booted. 0 or -ENOMEM. */
int hpu__add(struct hpu *hpu, unsigned program, uint32_t code_at);
void hpu__set_watchdog(struct hpu *hpu, unsigned program, uint32_t cycles);

/* Starts the program at the reset address, at that cycle. */
void hpu__reset(struct hpu *hpu, unsigned program, uint64_t cycle);

/* Its turn: runs until it waits for a task, or until an access beyond the lookahead. */
void hpu__turn(struct hpu *hpu);

/* The core's accesses outside its windows (struct rv32_bus). */
enum rv32_bus_status hpu__access(void *arg, struct rv32_bus_request *req);

/* Registers, by offset; on entry value is what to store, on return what was loaded. */
enum rv32_bus_status driver__access(struct hpu *hpu, struct rv32_bus_request *req, uint32_t off);

/* The core has the function register: the task is its own from this cycle on. */
void hpu__begin(struct hpu *hpu, uint64_t cycle);
/* The task ends at the doorbell's cycle; returns when the HPU may go on. */
uint64_t hpu__end(struct hpu *hpu, uint64_t cycle);

/*
 * A thread says in this access that others may go on: RV32_BUS_STOP if one does; the access is asked for again when the thread
 * has the pipeline back.
 */
enum rv32_bus_status driver__yield(struct hpu *hpu, const struct rv32_bus_request *req);

/* For commands.c (soc->up): the command's interface has taken it, and its times are set. */
void command__known(struct hpu *hpu, unsigned slot);
/* The cycle at which the slots of all its commands are free; UINT64_MAX: not known yet. */
uint64_t command__all_done(const struct hpu *hpu);

/* For the scheduler. The HPU waits for a task; it takes this one at the cycle. */
void hpu__assign(struct hpu *hpu, uint64_t cycle, uint32_t function, const struct hpu_descriptor *descriptor);

#endif
