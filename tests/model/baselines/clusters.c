/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Memory of clusters of 5 x 64 bytes, for machine_boots_and_recovers.c. */
#include <stdint.h>

uint32_t clusters[5 * 16] __attribute__((section(".spin_clusters"), aligned(64)));
