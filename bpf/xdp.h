/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_XDP_H
#define BPF_XDP_H

/*
 * XDP definitions that context.bpf.c (programs for the kernel) and nfp.bpf.c (a program for a NIC) share: pointers from struct xdp_md, and
 * the XDP action for each reason (what became of a packet, and why).
 */
#include <linux/bpf.h>

#include <spin/reason.h>

/*
 * Loads data or data_end, which struct xdp_md declares as 32 bits although it is a pointer. The asm keeps the compiler from truncating it.
 */
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
