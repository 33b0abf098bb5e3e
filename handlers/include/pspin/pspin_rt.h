/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef PSPIN_PSPIN_RT_H
#define PSPIN_PSPIN_RT_H

/* Which HPU, by the runtime's names; handler_args_t has the same without a CSR. */
#include <hal/pulp.h>

static inline uint32_t rt_core_id(void)
{
	return hal_core_id();
}

static inline uint32_t rt_cluster_id(void)
{
	return hal_cluster_id();
}

#endif
