/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_HPU_H
#define SPIN_HPU_H

/*
 * On which HPU a handler runs: from 0 to spin_num_hpus() - 1, the same while it runs. Live it is the CPU, or the
 * receive queue; on PsPIN cluster * 8 + the HPU's number in it.
 *
 * What each HPU has for itself needs no atomics:
 *
 *	struct mine { uint32_t packets; };
 *	SPIN_PER_HPU(struct mine, mine);     // a table: zero at the start, the host reads all of it
 *
 *	SPIN_MINE(p, mine)->packets++;
 *
 * On PsPIN the entries of a file's tables are in the L1 of their HPU's cluster while they have 256 bytes or less for each HPU
 * together, else in L2 handler memory, where an access takes 20 cycles.
 */
#define spin_my_hpu(v)   spin_my_hpu_((v)->packet)
#define spin_num_hpus(v) spin_num_hpus_((v)->packet)

/* Logical processors there can be: counters are per HPU, so a machine with more CPUs is refused. */
#define SPIN_HPUS_MAX 256

#define SPIN_PER_HPU(TYPE, name)                                                                                 \
	_Static_assert(sizeof(TYPE) % 4 == 0, "SPIN_PER_HPU " #name ": pad the entry to a multiple of 4 bytes"); \
	TYPE name[SPIN_HPUS_MAX] SPIN_PER_HPU_ATTR_
#define SPIN_MINE(v, name) (&(name)[spin_my_hpu(v) & (SPIN_HPUS_MAX - 1)])

#endif
