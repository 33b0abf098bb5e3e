/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_INTERRUPT_H
#define USER_LIB_INTERRUPT_H

/*
 * Makes every load of a BPF program by this process, in progress or later, fail with EAGAIN. Async-signal-safe: called by handlers
 * of signals that end the process.
 */
void interrupt__loads(void);

#endif
