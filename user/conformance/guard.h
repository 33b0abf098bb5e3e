/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_GUARD_H
#define USER_CONFORMANCE_GUARD_H

/*
 * Calls code that may crash or not return. Handlers under test may do both: the host build also runs what the kernel's verifier would
 * refuse.
 *
 * Returns 0, or -EFAULT (it crashed) or -ETIME (it used GUARD_CPU_S of this process's CPU time) with engine_error(). Memory may then be
 * partly written. The caller must be the only thread.
 */
#define GUARD_CPU_S 2

int guard__call(void (*fn)(void *arg), void *arg);

#endif
