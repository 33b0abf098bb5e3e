/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_CLUSTER_H
#define SPIN_CLUSTER_H

/*
 * Memory with one copy per cluster, a group of the NIC's cores (HPUs): for handlers' counters, and sums of counters.
 *
 *	struct hits { uint32_t packets[256]; };
 *	SPIN_PER_CLUSTER(struct hits, hits);
 *
 *	spin_add32(&SPIN_LOCAL(p, hits)->packets[i], 1);
 *
 * A handler adds to the copy of the cluster that it runs on, with the atomic operations of <spin/spin.h>: the HPUs of a
 * cluster share it, and other clusters do not touch it. On PsPIN a copy is in each cluster's L1 (PsPIN 3.2.2), where an AMO
 * takes one cycle and returns the old value. On BPF, CPUs (or queues) share SPIN_CLUSTERS_MAX copies by their numbers:
 * up to that many of them never contend for a cache line.
 *
 * Its value is the sum of all copies, word by word, modulo 2^32. The sum is the same on every engine, however packets are spread;
 * the contents of one copy are not. SPIN_MERGE() gives handlers the sum, and the host sees only the sum: fields of the variable
 * are read as the sum, and a write sets one copy and clears the others.
 *
 * TYPE may have uint32_t words only (and arrays and structs of them), up to 256 KiB; all are zero at the start. spincc checks it.
 */
#define SPIN_CLUSTERS_MAX      16 /* copies on BPF */
#define SPIN_CLUSTER_BYTES_MAX (256u << 10)

#define SPIN_PER_CLUSTER(TYPE, name)                                                         \
	_Static_assert(sizeof(TYPE) % 4 == 0 && sizeof(TYPE) <= SPIN_CLUSTER_BYTES_MAX,      \
		       "SPIN_PER_CLUSTER " #name ": a type of 32-bit words, up to 256 KiB"); \
	SPIN_PER_CLUSTER_(TYPE, name)

/* TYPE *: the copy of this handler's cluster. `v` as in <spin/action.h>. */
#define SPIN_LOCAL(v, name) SPIN_LOCAL_(v, name)

/*
 * Writes the sum of all copies to *to, a TYPE in HPU memory (state or scratchpad). Each word of a copy is read once: additions by other
 * handlers in the meantime may or may not be included. To get the total of certain messages, merge when these are complete, as
 * handlers/histogram.c does.
 */
#define SPIN_MERGE(v, name, to) SPIN_MERGE_(v, name, to)

#endif
