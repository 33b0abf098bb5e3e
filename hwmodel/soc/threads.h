/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_THREADS_H
#define HWMODEL_SOC_THREADS_H

/*
 * The threads of one HPU (target->hpu_threads; sPIN 3.2 "HPU execution contexts", 4.1, B.6). Each thread is a struct hpu with
 * registers, stack, number, and a driver with command slots and feedback of its own. One thread at a time has the pipeline. It
 * gives the pipeline up when it waits for a command, a slot, its next task or an event; when it yields (HPU_YIELD); and after
 * target->thread_slice_cycles if another thread is ready. The thread that has been ready longest gets it, of several the lowest
 * number; a change takes target->thread_switch_cycles. A thread that waits for a memory keeps the pipeline. With one thread
 * soc->pipelines is NULL.
 */
#include "hwmodel/soc/state.h"

struct pipeline {
	struct hpu *first;  /* its threads stand target->hpus behind one another */
	struct hpu *owner;  /* NULL: nobody has it */
	struct hpu *last;   /* who had it last */
	uint64_t free;      /* the cycle from which on another one's instruction can be issued */
	uint64_t since;     /* who has it has it since then, */
	uint64_t slice_end; /* alone up to there */
	/* cycles, in which instructions of some thread were in it, it switched, or all threads with a task waited for commands */
	uint64_t running, switching, waiting;
};

/*
 * The thread has the pipeline and gives it up at `cycle`, the one of the access that it waits in (PARK_SLICE: of its next
 * instruction), which has to be its turn (lookahead__allows()). Its next instruction can be issued at `ready`; UINT64_MAX: not known yet.
 */
void threads__park(struct hpu *hpu, enum park what, uint64_t cycle, uint64_t ready);
/* The cycle at which a parked thread is ready becomes known, or changes. */
void threads__ready(struct hpu *hpu, uint64_t ready);
/* Chooses the thread that gets a free pipeline, and wakes it. */
void threads__choose(struct soc *soc, struct pipeline *pipeline);
/* The chosen thread's turn has come: it gets the pipeline. */
void threads__resume(struct hpu *hpu);
/* The thread's slice is over. Returns 1 if another one is ready; else 0, and it gets another slice. */
int threads__expired(struct hpu *hpu, uint64_t cycle);
/* Is another thread ready to issue an instruction at that cycle? */
int threads__wanted(const struct hpu *hpu, uint64_t cycle);

#endif
