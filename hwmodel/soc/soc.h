/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_SOC_H
#define HWMODEL_SOC_SOC_H

/*
 * The modelled SoC ("the machine"): clusters of HPUs (cores that run handlers), their memories, and the hardware that assigns tasks to
 * them. Called by the NIC (nic/) and tests. Knows HERs (handler execution requests) and commands, and nothing of sPIN, IP or hosts. Time is
 * in cycles of the NIC's clock. Not thread-safe; machines are independent of each other.
 *
 * The simulation has events (event.h), and cores that each run ahead until they touch something that another could have touched
 * earlier: own L1 while others use it, L2, another L1, a command, the doorbell, a line that is not in the instruction cache. soc__run()
 * always advances the earliest. Events come before cores of the same cycle, and cores of the same cycle in order of their number.
 * lookahead.h describes how far a core may run ahead. So shared components (L1 banks, L2 ports, program memory, command interfaces,
 * packet copies) see their accesses in order of time. Each answers at once with the cycle of its grant, or grants by an event when all
 * requests of a cycle are known.
 */
#include "hwmodel/soc/lookahead.h"
#include "hwmodel/soc/state.h"

/* Returns 0, -ENOMEM or -EINVAL. The target is not copied, and must stay valid. */
int soc__open(struct soc *soc, const struct pspin_target *target, const struct soc_nic *nic, void *arg);
void soc__close(struct soc *soc);

/* Runs all HPUs from reset until they wait for tasks; the cycles pass. Returns 0, or -EFAULT if one traps or never waits. */
int soc__boot(struct soc *soc);

/*
 * Adds a program, before there is any HER. Its functions run in `memory` (storage__open_more(); owned by the caller), as if they were
 * linked to other addresses than the programs before it. Its code is `code_at` bytes, a multiple of 256, after theirs for the caches.
 * Times are those of its linked addresses. Returns its number, or -ENOMEM, -ENOSPC. soc__boot_program() boots it as soc__boot() does,
 * after the programs before it. `weight`: its share under scheduler = fair_hpu_time, relative to the others' (mpq.h); default 1.
 */
int soc__add_program(struct soc *soc, struct storage *memory, uint32_t code_at);
int soc__boot_program(struct soc *soc, unsigned program);
/* A task of the program that takes more cycles is stopped. */
void soc__set_watchdog(struct soc *soc, unsigned program, uint32_t cycles);
void soc__set_weight(struct soc *soc, unsigned program, uint32_t weight);

/* Uses the instruction caches, or lets every fetch hit (soc__run_one()). A change is slow: all decoded code is dropped. */
void soc__use_icaches(struct soc *soc, int used);
/* Empties all instruction caches. */
void soc__flush_icaches(struct soc *soc);

/* Runs until no event and no core is left, or up to the cycle. */
void soc__run(struct soc *soc, uint64_t until);

/* Adds a HER (copied) that arrives at a cycle not before soc->now. Returns 0, -ENOSPC (no cell) or -ENOMEM. */
int soc__her(struct soc *soc, uint64_t cycle, const struct soc_her *her);
/* Is there a cell for one more HER of this message? If not, soc_nic.on_room() is called later, when there is. */
int soc__takes_her(struct soc *soc, uint32_t message_id);
/* Abandons a message that has no HER left: its MPQ is free at once. */
void soc__forget(struct soc *soc, uint32_t message_id);

/*
 * Runs a function as a task on one HPU of an idle machine, to its next wait, without scheduler and caches. For tests and the
 * calibration of single mechanisms.
 */
void soc__run_one(struct soc *soc, struct hpu *hpu, uint32_t function, const struct hpu_descriptor *descriptor,
		  struct hpu_task_result *out);

#endif
