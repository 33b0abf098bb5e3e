/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_HPU_H
#define SPIN_HPU_H

/*
 * The number of the HPU, the processor that a handler runs on, from 0 to spin_num_hpus() - 1, constant while it runs. In the kernel it is
 * the CPU or the receive queue; on PsPIN it is cluster * 8 + the HPU's number in its cluster.
 *
 * Per-HPU data needs no atomics:
 *
 *	struct mine { uint32_t packets; };
 *	SPIN_PER_HPU(struct mine, mine);     // a table: zero at the start, the host reads all of it
 *
 *	SPIN_MINE(p, mine)->packets++;
 *
 * On PsPIN the entries of such tables are in the L1 of their HPU's cluster if all tables of a file have at most 256 bytes per HPU
 * together; otherwise in L2 handler memory, where an access takes 20 cycles.
 */
#define spin_my_hpu(v)   spin_my_hpu_((v)->packet)
#define spin_num_hpus(v) spin_num_hpus_((v)->packet)

/* Most logical processors supported: counters are per HPU, so a machine with more CPUs is refused. */
#define SPIN_HPUS_MAX 256

#define SPIN_PER_HPU(TYPE, name)                                                                                 \
	_Static_assert(sizeof(TYPE) % 4 == 0, "SPIN_PER_HPU " #name ": pad the entry to a multiple of 4 bytes"); \
	TYPE name[SPIN_HPUS_MAX] SPIN_PER_HPU_ATTR_
#define SPIN_MINE(v, name) (&(name)[spin_my_hpu(v) & (SPIN_HPUS_MAX - 1)])

#endif
