/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_COUNTER_H
#define BPF_COUNTER_H

/*
 * The counter of a matching entry, which is memory that the host posts for messages (sPIN B.6: PtlHandlerCT*). Called by handlers through
 * <spin/action.h>.
 */
#include "bpf/messages/space.h"

SPIN_INLINE void spin_ct_inc_(const struct spin_packet *packet, uint32_t success, uint32_t failure)
{
	struct spin_ct *ct = &spin_me_memory_of(packet)->ct;

	spin_add32(&ct->success, success);
	spin_add32(&ct->failure, failure);
}

SPIN_INLINE struct spin_ct spin_ct_get_(const struct spin_packet *packet)
{
	const struct spin_ct *ct = &spin_me_memory_of(packet)->ct;

	return (struct spin_ct){ spin_load32(&ct->success), spin_load32(&ct->failure) };
}

SPIN_INLINE void spin_ct_set_(const struct spin_packet *packet, struct spin_ct value)
{
	struct spin_ct *ct = &spin_me_memory_of(packet)->ct;

	spin_store32(&ct->success, value.success);
	spin_store32(&ct->failure, value.failure);
}

#endif
