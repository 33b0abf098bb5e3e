/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Names of verdicts and kernels, as all parts of the checker and its reports write them. */
#include "kernel/nfp/verdict.h"

const char *nfp_verdict__name(enum nfp_verdict verdict)
{
	static const char *const names[] = { "accept", "warn", "unknown", "reject" };

	return names[verdict];
}

const char *nfp_kernel__name(enum nfp_kernel kernel)
{
	static const char *const names[] = { "6.1", "6.12" };

	return names[kernel];
}
