/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_SHORTAGE_H
#define KERNEL_SHORTAGE_H

/*
 * Failures of bpf() that are neither the kernel's age nor a handler's fault: too few
 * descriptors, too little memory, no permission.
 */
#include <stddef.h>

/*
 * Writes what is short and what to do into `reason`, and returns -EMFILE, -ENFILE,
 * -ENOMEM or -EPERM; or -EAGAIN, if a signal came in the meantime. 0 if nothing is. err: what the failed call gave (-errno);
 * descriptors: how many it needed. A call that lacked descriptors may have failed with
 * another error, because libbpf takes a failed probe for an old kernel: so those are
 * counted.
 */
int kernel_shortage__explain(int err, unsigned descriptors, char *reason, size_t reason_bytes);

#endif
