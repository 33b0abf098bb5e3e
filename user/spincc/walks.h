/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCC_WALKS_H
#define USER_SPINCC_WALKS_H

/*
 * Copies unoptimised LLVM IR from one file to another, changed so that the kernel's verifier terminates on its walks. At the
 * head of each piece of a SPIN_FOR_EACH it adds a zero that the verifier does not know to the local integers that a body with
 * branches changes (see walks.c). Returns 0, or -1 after a message.
 */
int walks__write(const char *from, const char *to);

#endif
