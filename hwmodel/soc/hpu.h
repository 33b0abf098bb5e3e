/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_HPU_H
#define HWMODEL_SOC_HPU_H

/*
 * One HPU, a simulated core that runs handlers: its core and the core's turns (hpu.c), the bus from the core to memories and registers
 * (bus.c), and the driver for tasks and commands (driver.c). Called by soc.c and scheduler.c.
 */
#include "hwmodel/soc/state.h"

/* Is the HPU's next task of another program than the running one? Then a handler has ended its own task, and continues. */
static inline int hpu__is_others(const struct hpu *hpu)
{
	return hpu->function && hpu->of != &hpu->programs[hpu->task.program];
}

/* Returns 0, -ENOMEM, or -EINVAL for more command slots than HPU_COMMAND_SLOTS_MAX. */
int hpu__open(struct hpu *hpu, struct soc *soc, unsigned cluster, unsigned index);
void hpu__close(struct hpu *hpu);

/* Adds a program, whose soc->memories[program] must be set; it does not boot it. Returns 0 or -ENOMEM. */
int hpu__add(struct hpu *hpu, unsigned program, uint32_t code_at);
void hpu__set_watchdog(struct hpu *hpu, unsigned program, uint32_t cycles);

/* Starts the program at the reset address, at that cycle. */
void hpu__reset(struct hpu *hpu, unsigned program, uint64_t cycle);

/* Runs the HPU's turn: until it waits for a task, or until an access beyond the lookahead. */
void hpu__turn(struct hpu *hpu);

/* The core's accesses outside its windows (struct rv32_bus). */
enum rv32_bus_status hpu__access(void *arg, struct rv32_bus_request *req);

/* Accesses a register by offset. On entry req->value is the value to store, on return the value loaded. */
enum rv32_bus_status driver__access(struct hpu *hpu, struct rv32_bus_request *req, uint32_t off);

/* Called when the core has read the function register: the task begins at this cycle. */
void hpu__begin(struct hpu *hpu, uint64_t cycle);
/* Ends the task at the doorbell's cycle. Returns when the HPU may continue. */
uint64_t hpu__end(struct hpu *hpu, uint64_t cycle);

/*
 * The thread offers the pipeline to others in this access. Returns RV32_BUS_STOP if another one takes it; the access is then repeated
 * when the thread has the pipeline again.
 */
enum rv32_bus_status driver__yield(struct hpu *hpu, const struct rv32_bus_request *req);

/* For commands.c (soc->up): the command's interface has accepted it, and its times are set. */
void command__known(struct hpu *hpu, unsigned slot);
/* Returns the cycle at which all its command slots are free; UINT64_MAX if not known yet. */
uint64_t command__all_done(const struct hpu *hpu);

/* For the scheduler: assigns a task to an HPU, which takes it at that cycle. */
void hpu__assign(struct hpu *hpu, uint64_t cycle, uint32_t function, const struct hpu_descriptor *descriptor);

#endif
