/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef PSPIN_HAL_PULP_H
#define PSPIN_HAL_PULP_H

/*
 * The number of the HPU (the NIC's core) that a handler runs on, by the calls of the hardware layer of PsPIN's SDK. Included by handler
 * files written for PsPIN's own runtime (`spincc --api pspin`).
 */
#include <stdint.h>

/* uhartid, which user mode may read: HPU within its cluster in bits 4:0, cluster above. */
static inline uint32_t pspin_hart_(void)
{
	uint32_t hart;

	__asm__(".insn i 0x73, 2, %0, x0, 0x014" : "=r"(hart));
	return hart;
}

static inline uint32_t hal_core_id(void)
{
	return pspin_hart_() & 31;
}

static inline uint32_t hal_cluster_id(void)
{
	return pspin_hart_() >> 5 & 63;
}

#endif
