/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_HPU_H
#define SOC_HPU_H

/*
 * One HPU: a core, its driver (tasks and commands), its front end of the
 * cluster DMA, and the way from the core to everything else.
 */
#include <hwmodel/rv32.h>

#include <hwmodel/pspin.h>

#include "hwmodel/target/parameters.h"
#include "hwmodel/soc/dma.h"
#include "hwmodel/soc/storage.h"

struct soc;
struct soc_task;
struct pipeline;

/* What the driver's registers say during a task, in their order from HPU_TASK on. */
#define HPU_SCRATCHPADS 4u /* the registers are PsPIN's: clusters beyond have none */
struct hpu_descriptor {
	uint32_t handler_mem, handler_mem_bytes;
	uint32_t packet_l1, copied_bytes; /* of the packet, to L1: PsPIN's mpq_engine has the HER's xfer_size there */
	uint32_t scratchpad[HPU_SCRATCHPADS], scratchpad_bytes[HPU_SCRATCHPADS];
	uint32_t host_mem_high, host_mem_low, host_mem_bytes;
	uint32_t packet_l2, home_cluster, message_id;
	/* of no register */
	uint32_t packet_bytes;    /* whole, in L2 */
	uint32_t watchdog_cycles; /* 0: the HPU's */
	uint64_t body_cycles;     /* that the handler's body may take; 0: what the watchdog allows */
	unsigned program;         /* whose function it is */
};

enum hpu_command_kind { HPU_NIC_SEND, HPU_TO_HOST, HPU_FROM_HOST, HPU_HOST_DIRECT, HPU_COMMAND_KINDS };

/* A command as it leaves the HPU; the data is as it stands when it is issued. */
struct hpu_command {
	enum hpu_command_kind kind;
	uint8_t *nic;      /* source or, from the host, destination; NULL for host-direct */
	uint32_t nic_addr; /* the same as the HPU names it */
	uint64_t host;     /* host address; 0 for sends of NIC memory */
	uint32_t bytes;
	uint32_t flow;      /* of sends: HPU_SEND_* */
	const uint8_t *put; /* of HPU_SEND_PUT, _GET and _ATOMIC: struct spin_put; of _ACKED struct spin_put_acked */
	uint32_t detail;    /* of the latter two */
	uint32_t data[2];   /* host-direct */
	struct soc_task *task;
	unsigned number;           /* in its task */
	enum memory_region region; /* where in the NIC its bytes are, */
	unsigned cluster;          /* and of which cluster's L1 */
	/*
	 * Cycles; left: its last byte was on the wire, at the host or, from there, at the NIC. done: 0: never used;
	 * UINT64_MAX: not known yet.
	 */
	uint64_t issued, done, left;
};

/* How a task went; counts since it was given. */
struct hpu_task_result {
	struct rv32_stats stats; /* of soc__run_one() alone: the whole turn of the runtime loop, to the next wait */
	struct rv32_stats body;  /* from the handler's first instruction to its return */
	uint32_t commands[HPU_COMMAND_KINDS];
	uint32_t error;                /* 0: none; the first one */
	uint32_t error_pc, error_tval; /* as in struct pspin_task */
	uint32_t value;                /* what the function returned, in a0 */
	uint64_t parked_cycles;        /* of the body, while another thread could have the HPU */
};

#define HPU_COMMAND_SLOTS_MAX 8
#define SOC_PROGRAMS_MAX      8u

/*
 * A program on this HPU. All programs of a machine are linked to the same addresses: each has a core of its own here, which
 * stands still at the load of the function register while another program's tasks run.
 */
struct hpu_program {
	struct rv32_core *core;
	struct storage *memory;
	uint32_t watchdog_cycles;
	/* where its core waits for a task: the watchdog takes it back there. 0: it has not booted */
	uint32_t idle_pc, idle_reg[32];
};

struct hpu {
	struct soc *soc;
	const struct pspin_target *target; /* the machine's */
	struct hpu_program programs[SOC_PROGRAMS_MAX];
	struct hpu_program *of; /* whose task runs, or ran last; core, memory and watchdog are its: */
	struct storage *memory;
	struct rv32_core *core;
	uint32_t watchdog_cycles; /* a task that runs longer is stopped; at first the target's */
	unsigned cluster, index;  /* index: thread * target->hpus + the number of the HPU that it is a thread of */
	unsigned number;          /* in soc->turns */
	int changes;              /* it stands before a task of another program */

	/* For tests: told of each access that is done beside the core's windows; NULL: nobody. */
	void (*watch)(void *arg, const struct rv32_bus_request *req);
	void *watch_arg;

	/* turns (hpu.c) */
	int waits;         /* for a task */
	int begun;         /* its core has taken the task it was given */
	int alone;         /* soc__run_one(): past the scheduler */
	uint64_t given;    /* the cycle of hpu__give() */
	uint64_t deadline; /* when it is stopped: by the watchdog, which looks since this cycle, */
	uint64_t watched;
	int is_limited;  /* or, while the body runs, because its cycles are used up */
	uint64_t beyond; /* then: how much later the watchdog would come */
	uint64_t held;   /* its access meets what is shared then: asked again */
	int away;        /* its access is on its way: whoever has it wakes the HPU */
	int granted;     /* it is back, after so many cycles more than on an idle machine */
	uint64_t late;
	uint64_t sent;           /* what it wants of another L1, */
	struct hpu *behind;      /* and who stands behind it in that one's port */
	uint32_t stopped;        /* not 0: the error it is taken back with when its turn comes */
	int settles;             /* it stands at the doorbell without having returned */
	int learns;              /* it stands before a function that it has not run yet */
	struct rv32_stats enter; /* at the handler's first instruction */
	/* The task's cycles; 0: not yet. first and returned are exact: the core stops there for it. */
	uint64_t first, returned, doorbell;
	uint64_t fetched_for; /* cycles, the handler's first instruction */
	int returns;          /* the instruction behind the call has not been fetched yet */
	uint32_t return_pc;   /* of the task that runs, known from `first` on */

	/* with more than one thread (threads.h) */
	struct pipeline *pipeline; /* which it shares; NULL: it has its own */
	int parked;                /* enum park: it has not got it */
	uint64_t parked_at;        /* since that cycle */
	uint64_t ready;            /* the cycle from which on its next instruction can be issued; UINT64_MAX: not known */
	uint64_t resumed_at;       /* the answer that it waited for comes at that cycle; 0: none does */
	int issues, yielded;       /* it waits in an issue, not for a command; in what says that others may go on */
	int slice_over;            /* it stands before its next instruction, for who is ready */

	/* driver */
	struct soc_task *running; /* the scheduler's; set before hpu__give() */
	uint64_t feedback;        /* set by the scheduler: of the task before, commands wait for it; UINT64_MAX: not known yet */
	uint32_t function;        /* 0: no task */
	struct hpu_descriptor task;
	uint32_t l2_packet_end; /* of what the handler may reach in L2 packet memory */
	struct hpu_task_result result;
	struct hpu_command commands[HPU_COMMAND_SLOTS_MAX];
	uint64_t command_free[HPU_COMMAND_SLOTS_MAX]; /* when the slot is, for the next one and for feedback; like done */
	int asks;                                     /* it waits for commands: to be asked again when more is known of them */
	uint32_t info, words[7], last_id;

	/* cluster DMA front end */
	uint32_t dma_reg[5];
	uint64_t dma_done[DMA_TRANSFERS_MAX]; /* cycle, by id modulo DMA_TRANSFERS_MAX */
	uint32_t dma_last;

	/* load-reserved */
	uint32_t reserved_addr;
	int reserved;
	uint32_t tried; /* the last word that was loaded so, with no SC behind it; 0: none */
};

/* It has been given a task of another program than the one that it runs: a handler has ended its own task, and goes on. */
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

/* The program starts at the reset address, at that cycle. */
void hpu__reset(struct hpu *hpu, unsigned program, uint64_t cycle);

/* Its turn: goes on until it waits for a task, or wants what is shared later than the horizon. */
void hpu__turn(struct hpu *hpu);

/* The core's accesses beside its windows (rv32_bus). */
enum rv32_bus_status hpu__access(void *arg, struct rv32_bus_request *req);

/*
 * An access to another cluster's L1 sets out at this cycle (remote.c): the HPU is away until it is granted.
 */
void remote__ask(struct hpu *hpu, uint64_t cycle, unsigned cluster, uint32_t offset, enum rv32_access kind);
/* What it waited for is served, so many cycles later than on an idle machine: it goes on, at this cycle at the earliest. */
void hpu__granted(struct hpu *hpu, uint64_t late, uint64_t cycle);
/* The first access in a cluster's port is served in this cycle. */
void remote__granted(struct soc *soc, unsigned cluster, uint64_t cycle);

/*
 * Input `who` asks a bank of a cluster's L1 (banks.c). The cycle in which it is served, or L1_WAITS: then its HPU is granted
 * later. alone_before: as in l1__access().
 */
uint64_t banks__ask(struct soc *soc, uint64_t cycle, unsigned cluster, unsigned who, uint32_t offset, enum rv32_access kind,
		    uint64_t alone_before);

/* Registers, by offset; on entry value is what to store, on return what was loaded. */
enum rv32_bus_status driver__access(struct hpu *hpu, struct rv32_bus_request *req, uint32_t off);
enum rv32_bus_status dma__access(struct hpu *hpu, struct rv32_bus_request *req, uint32_t off);

/*
 * What the core is about to do meets what is shared at that cycle: has its turn come? If not, answer RV32_BUS_STOP with
 * nothing done; it is asked again then. Else soc->now is that cycle.
 */
int hpu__may(struct hpu *hpu, uint64_t cycle);

/* The same for the own L1 and what else only this cluster has: fewer can come before. */
int hpu__may_near(struct hpu *hpu, uint64_t cycle);

/* The core has the function register: the task is its own from this cycle on. */
void hpu__begin(struct hpu *hpu, uint64_t cycle);
/* The task ends at the doorbell's cycle; returns when the HPU may go on. */
uint64_t hpu__end(struct hpu *hpu, uint64_t cycle);

/*
 * A thread says in this access that others may go on: RV32_BUS_STOP if one does; the access is asked for again when the thread
 * has the pipeline back.
 */
enum rv32_bus_status driver__yield(struct hpu *hpu, const struct rv32_bus_request *req);

/* driver.c: more is known of its commands, which the parked thread waits for. */
void driver__commands_known(struct hpu *hpu);

/* Issues the command in hpu->info and words at `cycle`, in that slot. */
void command__issue(struct hpu *hpu, uint64_t cycle, unsigned slot);
/* Its interface has it, so that its times are set. */
void command__known(struct hpu *hpu, unsigned slot);
/* When the slots of all its commands are free; UINT64_MAX: not known yet. */
uint64_t command__all_done(const struct hpu *hpu);

#endif
