/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_XDP_H
#define BPF_XDP_H

/*
 * XDP definitions shared by the programs of an execution context (handlers, their memories and a match rule) for the kernel
 * (context.bpf.c) and for a NIC (nfp.bpf.c), which include this: pointers from struct xdp_md, and the XDP action of each reason (what
 * became of a packet, and why).
 */
#include <linux/bpf.h>

#include <spin/reason.h>

/* A pointer that struct xdp_md declares as 32 bits; the asm keeps the compiler from truncating it. */
#define SPIN_CONTEXT_POINTER_(ctx, field)                                                                                         \
	({                                                                                                                        \
		uint8_t *spin_pointer_;                                                                                           \
		__asm__ volatile("%0 = *(u32 *)(%1 + %2)" : "=r"(spin_pointer_) : "r"(ctx), "i"(offsetof(struct xdp_md, field))); \
		spin_pointer_;                                                                                                    \
	})

/* Returns the XDP action of a reason's verdict. */
SPIN_INLINE int spin_action_(enum spin_reason reason)
{
	enum { PASS = XDP_PASS, DROP = XDP_DROP, TX = XDP_TX };

	switch (reason) {
#define SPIN_REASON_ACTION_(name, verdict, text) \
	case SPIN_REASON_##name:                 \
		return verdict;
		SPIN_REASONS(SPIN_REASON_ACTION_)
#undef SPIN_REASON_ACTION_
	default:
		return XDP_ABORTED;
	}
}

#endif
