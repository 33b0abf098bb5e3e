/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_LIB_INTERRUPT_H
#define USER_LIB_INTERRUPT_H

/*
 * From now on, every load of a BPF program that is under way or begins is given up by the kernel's verifier: it fails
 * with EAGAIN. For handlers of signals that end the process: it may be called there.
 */
void interrupt__loads(void);

#endif
