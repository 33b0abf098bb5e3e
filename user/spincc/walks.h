/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCC_WALKS_H
#define USER_SPINCC_WALKS_H

/*
 * Copies LLVM's language from one file to another, unoptimised, so that the kernel's verifier ends with the walks in it. At
 * the head of each piece of a SPIN_FOR_EACH it adds a zero that the verifier does not know to the local integers which
 * a body with branches changes (see walks.c). 0, or -1 after it was said why not.
 */
int walks__write(const char *from, const char *to);

#endif
