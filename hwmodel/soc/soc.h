/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SOC_SOC_H
#define SOC_SOC_H

/*
 * The machine: clusters of HPUs, their memories, and the hardware that gives them tasks. Knows HERs and commands, nothing
 * of sPIN, IP or hosts. Time is in cycles of the NIC's clock.
 *
 * How time goes. There are events (event.h) at their cycles, and cores that each run ahead on their own until they touch
 * something that another could have touched before: own L1 while others use it, L2, another L1, a command, the
 * doorbell, a line that is not in the instruction cache. soc__run() always lets go on who is earliest; events come before
 * cores in the same cycle, and of cores the lowest number. A core may go on while what it touches is not later than
 * soc->lookahead; else the access answers RV32_BUS_STOP and is asked for again when it is the earliest. So what is shared
 * (L1 banks, L2 port, program memory, command interfaces, packet copies) sees its accesses in order of time, and each keeps
 * a calendar: asked for an access at a cycle, it says when that is granted; a bank of L1 that several want says so by an
 * event, when all who ask in a cycle are known (l1.c). What only a cluster has, its L1, is reached from others by events
 * and only after a while: there the horizon is soc->lookahead_l1, which is later; and while one core of the cluster runs alone it
 * does not ask for its L1 at all before that, until it launches a transfer there itself.
 */
#include "hwmodel/soc/lookahead.h"
#include "hwmodel/soc/state.h"

/* 0, -ENOMEM or -EINVAL. The target is copied by whoever owns it and must stay. */
int soc__open(struct soc *soc, const struct pspin_target *target, const struct soc_nic *nic, void *arg);
void soc__close(struct soc *soc);

/* From reset to where all HPUs wait for tasks; takes its cycles. 0, or -EFAULT: one traps or never waits. */
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

/* Instruction caches count (soc__run() begins with it), or every fetch hits (soc__run_one()). Costs something when it changes. */
void soc__use_icaches(struct soc *soc, int used);
/* All instruction caches are empty. */
void soc__flush_icaches(struct soc *soc);

/* Until nothing is left to do, or the cycle. */
void soc__run(struct soc *soc, uint64_t until);

/* mpq.c: a HER arrives at a cycle that is not before soc->now; copied. Its accept time is in the task records (ready). */
int soc__her(struct soc *soc, uint64_t cycle, const struct soc_her *her);
/* Room for one more of this message? HERs are held back when there is none, until soc_nic.room(). */
int soc__takes_her(struct soc *soc, uint32_t message_id);
/* The message is given up between two of its packets: its MPQ is free at once. No HER of it is left. */
void soc__forget(struct soc *soc, uint32_t message_id);

/*
 * For one HPU alone on an idle machine, past scheduler and caches: runs the function as a task on it, to the next wait. What
 * tests and calibration of single mechanisms use.
 */
void soc__run_one(struct soc *soc, struct hpu *hpu, uint32_t function, const struct hpu_descriptor *descriptor,
		  struct hpu_task_result *out);

#endif
