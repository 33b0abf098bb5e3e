/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_INTERRUPT_H
#define USER_LIB_INTERRUPT_H

/*
 * After this call the kernel's verifier gives up every load of a BPF program that is under way or begins: it fails with EAGAIN. For
 * handlers of signals that end the process; async-signal-safe.
 */
void interrupt__loads(void);

#endif
