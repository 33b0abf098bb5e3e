/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_VERDICT_H
#define KERNEL_NFP_VERDICT_H

/*
 * Verdicts of the checker that predicts whether the NFP driver accepts a BPF program, and the kernels that they apply to. Included by
 * check.h and rules.h.
 */

/* Ordered: a program's verdict is the highest of its findings. */
enum nfp_verdict {
	NFP_ACCEPT,
	NFP_WARN,    /* loads, but not on every kernel or at every MTU, or behaves at run time as its author may not expect */
	NFP_UNKNOWN, /* the checker cannot tell; the finding says why */
	NFP_REJECT,
};

/* Host kernels. Their verifiers compute different bounds, which the driver relies on. */
enum nfp_kernel {
	NFP_KERNEL_6_1,
	NFP_KERNEL_6_12,
	NFP_KERNELS,
};

#define NFP_ALL_KERNELS ((1u << NFP_KERNELS) - 1)

/* Names: "accept", "warn", "unknown", "reject"; "6.1", "6.12". Static storage. */
const char *nfp_verdict__name(enum nfp_verdict verdict);
const char *nfp_kernel__name(enum nfp_kernel kernel);

#endif
