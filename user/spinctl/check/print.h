/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_CHECK_PRINT_H
#define USER_SPINCTL_CHECK_PRINT_H

/* Prints what spinctl check found in programs for a card, as text or JSON. Called by check.c. */
#include "kernel/nfp/check.h"

/* Print a report. `kernels`: bits of enum nfp_kernel. `file`: the object's name. */
void check_print__text(const struct nfp_report *report, const struct nfp_profile *profile, unsigned kernels);
void check_print__json(const struct nfp_report *report, const struct nfp_profile *profile, unsigned kernels, const char *file);

/* Returns the worst verdict of all programs. */
enum nfp_verdict check_print__worst(const struct nfp_report *report);

#endif
