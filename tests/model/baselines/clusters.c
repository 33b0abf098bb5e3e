/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Memory of clusters, 5 x 64 bytes. machine_boots_and_recovers.c links it to test that every cluster's copy is cleared. */
#include <stdint.h>

uint32_t clusters[5 * 16] __attribute__((section(".spin_clusters"), aligned(64)));
