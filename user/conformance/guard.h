/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_CONFORMANCE_GUARD_H
#define USER_CONFORMANCE_GUARD_H

/*
 * Calls code that may crash or never come back, as handlers under test may: what the
 * kernel's verifier would refuse runs in the host build.
 *
 * Returns 0, or -EFAULT (it crashed) or -ETIME (GUARD_CPU_S of this process's CPU time)
 * with engine_error(). What it was about to write then is half written. One thread only.
 */
#define GUARD_CPU_S 2

int guard__call(void (*fn)(void *arg), void *arg);

#endif
