/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_TEXT_H
#define USER_COST_TEXT_H

/* Prints parts of the text report of spinctl cost, for text.c, which implements all of them except the last one (xpulp.c). */
#include "user/cost/report.h"

/* Print parts of the text: a packet's stages and the busy resources; packets of several sizes. */
void cost_text__stages(const struct cost_report *r);
void cost_text__sizes(const struct cost_report *r);

void cost_text__xpulp(const struct cost_report *r);

#endif
