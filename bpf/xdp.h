/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef BPF_XDP_H
#define BPF_XDP_H

/*
 * What a context's programs for the kernel and for a card share of XDP: pointers from struct xdp_md, and the XDP action of each
 * verdict.
 */
#include <linux/bpf.h>

#include <spin/reason.h>

/* A pointer that XDP's context shows as 32 bits, and which the compiler is not to keep as such. */
#define SPIN_CONTEXT_POINTER_(ctx, field)                                                                                         \
	({                                                                                                                        \
		uint8_t *spin_pointer_;                                                                                           \
		__asm__ volatile("%0 = *(u32 *)(%1 + %2)" : "=r"(spin_pointer_) : "r"(ctx), "i"(offsetof(struct xdp_md, field))); \
		spin_pointer_;                                                                                                    \
	})

/* XDP action per verdict: the one place where they meet. */
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
