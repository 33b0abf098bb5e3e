/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Memory of clusters (each cluster of HPUs has a copy in its L1), 5 x 64 bytes. machine_boots_and_recovers.c links it and checks that boot
 * clears every cluster's copy and no adjacent byte.
 */
#include <stdint.h>

uint32_t clusters[5 * 16] __attribute__((section(".spin_clusters"), aligned(64)));
