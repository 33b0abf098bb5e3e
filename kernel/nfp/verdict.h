/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_NFP_VERDICT_H
#define KERNEL_NFP_VERDICT_H

/* The checker's verdicts, and the kernels that they apply to. */

/* Ordered: of several findings the highest is the program's verdict. */
enum nfp_verdict {
	NFP_ACCEPT,
	NFP_WARN,    /* loads, but not everywhere (a kernel, an MTU), or does at run time what its author may not expect */
	NFP_UNKNOWN, /* the checker cannot tell; the finding says why */
	NFP_REJECT,
};

/* Host kernels: their verifiers know different bounds, and the driver relies on what they know. */
enum nfp_kernel {
	NFP_KERNEL_6_1,
	NFP_KERNEL_6_12,
	NFP_KERNELS,
};

#define NFP_ALL_KERNELS ((1u << NFP_KERNELS) - 1)

/* "accept", "warn", "unknown", "reject"; "6.1", "6.12". Static storage. */
const char *nfp_verdict__name(enum nfp_verdict verdict);
const char *nfp_kernel__name(enum nfp_kernel kernel);

#endif
