/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_SCALAR_TYPE_H
#define KERNEL_NFP_SCALAR_TYPE_H

/* struct nfp_scalar: what the kernel's verifier knows about a number in a BPF program, as bits and bounds. scalar.h has the operations. */
#include <stdint.h>

/* The known bits of a number, and its smallest and largest value: unsigned and signed, of all 64 bits and of the low 32. */
struct nfp_scalar {
	uint64_t value, mask; /* known bits; a bit set in mask is unknown, and then 0 in value */
	uint64_t umin, umax;
	int64_t smin, smax;
	uint32_t umin32, umax32;
	int32_t smin32, smax32;
};

#endif
