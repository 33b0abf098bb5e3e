/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* filtering_uncounted - handlers/filtering.c as in PsPIN 4.3, where entries do not count their packets. Run by figures and vectors. */
#define FILTERING_COUNTS 0
#include "handlers/filtering.c"
