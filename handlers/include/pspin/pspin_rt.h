/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef PSPIN_PSPIN_RT_H
#define PSPIN_PSPIN_RT_H

/*
 * Numbers of the HPU (the NIC's core) that a handler runs on and of its cluster, with the names of PsPIN's runtime. Included by handler
 * files written for PsPIN's own runtime (`spincc --api pspin`). handler_args_t has the same numbers without reading a CSR.
 */
#include <hal/pulp.h>

#define ECALL_PSPIN_HANDLER_EXIT 0xa

/* For read_csr() and the like (util.h). */
#define PULP_CSR_MSTATUS 0x300
#define PULP_CSR_MTVEC   0x305
#define PULP_CSR_MEPC    0x341
#define PULP_CSR_MCAUSE  0x342
#define PULP_CSR_PRIVLV  0xc10

static inline uint32_t rt_core_id(void)
{
	return hal_core_id();
}

static inline uint32_t rt_cluster_id(void)
{
	return hal_cluster_id();
}

#endif
