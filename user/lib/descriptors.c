/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Raises the limit of open descriptors. Called at the start of spinctl, of spind and of the test that runs vectors; a failure leaves
 * the limit unchanged.
 */
#include <sys/resource.h>

#include "user/lib/descriptors.h"

void descriptors_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}
