/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef KERNEL_SHORTAGE_H
#define KERNEL_SHORTAGE_H

/*
 * Failures of bpf() that are not due to an old kernel or to the handler: too few descriptors, too little memory, no permission. Called by
 * probe.c, libspin and spinctl doctor.
 */
#include <stddef.h>

/*
 * Writes what ran out and what to do into `reason`, and returns -EMFILE, -ENFILE, -ENOMEM or -EPERM; -EAGAIN if a signal interrupted the
 * call; 0 if nothing ran out. err: the failed call's -errno; descriptors: how many it needed. They are counted, because a call that lacked
 * descriptors may have failed with another error: libbpf takes a failed probe for an old kernel.
 */
int kernel_shortage__explain(int err, unsigned descriptors, char *reason, size_t reason_bytes);

#endif
