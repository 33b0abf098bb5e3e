/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_CHECK_PRINT_H
#define USER_SPINCTL_CHECK_PRINT_H

/* Prints what spinctl check found of programs for a card, as text or JSON. Called by check.c. */
#include "kernel/nfp/check.h"

/* Prints a report on the card's program; `kernels` are bits of enum nfp_kernel. */
void check_print__text(const struct nfp_report *report, const struct nfp_profile *profile, unsigned kernels);
void check_print__json(const struct nfp_report *report, const struct nfp_profile *profile, unsigned kernels, const char *file);

/* The highest verdict of all programs. */
enum nfp_verdict check_print__worst(const struct nfp_report *report);

#endif
