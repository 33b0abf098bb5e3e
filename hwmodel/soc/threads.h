/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_THREADS_H
#define HWMODEL_SOC_THREADS_H

/*
 * The hardware threads of one HPU, a core of the NIC; called by hpu.c, driver.c, peripherals.c and soc.c (target->hpu_threads; sPIN 3.2
 * "HPU execution contexts", 4.1, B.6). Each thread is a struct hpu with its own registers, stack, number, and driver with command slots and
 * feedback. One thread at a time has the pipeline. It gives up the pipeline when it waits for a command, a slot, its next task or an event;
 * when it yields (HPU_YIELD); and after target->thread_slice_cycles if another thread is ready. The thread that has been ready longest gets
 * it next, on a tie the lowest number; a change takes target->thread_switch_cycles. A thread that waits for a memory keeps the pipeline.
 * With one thread per HPU soc->pipelines is NULL.
 */
#include "hwmodel/soc/state.h"

/* The pipeline of an HPU, which one of its threads has at a time. */
struct pipeline {
	struct hpu *first;  /* its threads are target->hpus entries apart */
	struct hpu *owner;  /* NULL: no thread has it */
	struct hpu *last;   /* the thread that had it last */
	uint64_t free;      /* cycle from which another thread's instruction can be issued */
	uint64_t since;     /* cycle since which the owner has it, */
	uint64_t slice_end; /* and up to which the owner keeps it */
	/* cycles in which a thread's instructions ran, in which it switched, and in which all threads with a task waited for commands */
	uint64_t running, switching, waiting;
};

/*
 * The thread, which has the pipeline, gives it up at `cycle`, the cycle of the access in which it waits (PARK_SLICE: of its next
 * instruction). It must have the turn for that cycle (lookahead__allows()). Its next instruction can be issued at `ready`; UINT64_MAX:
 * not known yet.
 */
void threads__park(struct hpu *hpu, enum park what, uint64_t cycle, uint64_t ready);
/* Sets or changes the cycle at which a parked thread is ready. */
void threads__ready(struct hpu *hpu, uint64_t ready);
/* Chooses the thread that gets a free pipeline, and wakes it. */
void threads__choose(struct soc *soc, struct pipeline *pipeline);
/* Gives the pipeline to the chosen thread at its turn. */
void threads__resume(struct hpu *hpu);
/* Called when the thread's slice has ended. Returns 1 if another thread is ready; else 0, and the thread gets another slice. */
int threads__expired(struct hpu *hpu, uint64_t cycle);
/* Is another thread ready to issue an instruction at that cycle? */
int threads__wanted(const struct hpu *hpu, uint64_t cycle);

#endif
