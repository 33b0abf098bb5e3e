/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef PSPIN_SPIN_CONF_H
#define PSPIN_SPIN_CONF_H

/*
 * Numbers of PsPIN's cores (HPUs), clusters and bytes of packet memory, as its own runtime is built. Included by handler.h for handler
 * files of `spincc --api pspin`. On a target with fewer clusters the other elements of scratchpad[] are 0.
 */
#ifndef NB_CORES
#define NB_CORES 8 /* HPUs per cluster */
#endif
#ifndef NB_CLUSTERS
#define NB_CLUSTERS 4
#endif
#define CORE_COUNT       (NB_CORES * NB_CLUSTERS)
#define NUM_CLUSTER_HPUS NB_CORES

#define PacketQueueLength (4 * (1 << 20) - 3 * 4) /* bytes of L2 packet memory that PsPIN's driver has queues in */

#ifndef PKT_SIZE
#define PKT_SIZE 1024 /* bytes of a packet, for handlers that assume one size */
#endif

#endif
