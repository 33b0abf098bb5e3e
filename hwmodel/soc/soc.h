/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_SOC_H
#define HWMODEL_SOC_SOC_H

/*
 * The machine: clusters of HPUs, their memories, and the hardware that assigns tasks to them. Knows HERs and commands, nothing
 * of sPIN, IP or hosts. Time is in cycles of the NIC's clock. Not thread-safe; machines are independent of each other.
 *
 * The simulation has events (event.h), and cores that each run ahead on their own until they touch something that another could
 * have touched before: own L1 while others use it, L2, another L1, a command, the doorbell, a line that is not in the instruction
 * cache. soc__run() always advances the earliest; events come before cores of the same cycle, and of cores the lowest number comes
 * first. How far a core may run ahead is said in lookahead.h. So shared components (L1 banks, L2 ports, program memory, command
 * interfaces, packet copies) see their accesses in order of time. Each answers at once with the cycle of its grant, or grants by an
 * event when all requests of a cycle are known.
 */
#include "hwmodel/soc/lookahead.h"
#include "hwmodel/soc/state.h"

/* 0, -ENOMEM or -EINVAL. The target is not copied, and must stay. */
int soc__open(struct soc *soc, const struct pspin_target *target, const struct soc_nic *nic, void *arg);
void soc__close(struct soc *soc);

/* Runs from reset to where all HPUs wait for tasks; takes its cycles. 0, or -EFAULT: one traps or never waits. */
int soc__boot(struct soc *soc);

/*
 * One more program, before there is any HER: its functions run in `memory` (storage__open_more(); stays the caller's), as if it
 * were linked to other addresses than those before it; its code lies so many bytes behind theirs, a multiple of
 * 256. Times are those of the addresses it has. Returns its number, or -ENOMEM, -ENOSPC. It boots as soc__boot(), after
 * those before it. `weight`: its share under scheduler = fair_hpu_time, against the others' (mpq.h); 1 at first.
 */
int soc__add_program(struct soc *soc, struct storage *memory, uint32_t code_at);
int soc__boot_program(struct soc *soc, unsigned program);
/* A task of the program that takes more cycles is stopped. */
void soc__set_watchdog(struct soc *soc, unsigned program, uint32_t cycles);
void soc__set_weight(struct soc *soc, unsigned program, uint32_t weight);

/* Uses the instruction caches, or lets every fetch hit (soc__run_one()). Slow if it changes: all decoded code is dropped. */
void soc__use_icaches(struct soc *soc, int used);
/* Empties all instruction caches. */
void soc__flush_icaches(struct soc *soc);

/* Runs until no event and no core is left, or up to the cycle. */
void soc__run(struct soc *soc, uint64_t until);

/* A HER arrives at a cycle that is not before soc->now; copied. 0, -ENOSPC (no cell) or -ENOMEM. */
int soc__her(struct soc *soc, uint64_t cycle, const struct soc_her *her);
/* Is there a cell for one more HER of this message? If not, soc_nic.on_room() is called when there is. */
int soc__takes_her(struct soc *soc, uint32_t message_id);
/* Abandons a message of which no HER is left: its MPQ is free at once. */
void soc__forget(struct soc *soc, uint32_t message_id);

/*
 * Runs a function as a task on one HPU of an idle machine, to its next wait, without scheduler and caches. For tests and the
 * calibration of single mechanisms.
 */
void soc__run_one(struct soc *soc, struct hpu *hpu, uint32_t function, const struct hpu_descriptor *descriptor,
		  struct hpu_task_result *out);

#endif
