/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_TEXT_H
#define USER_COST_TEXT_H

/* Prints parts of a report of spinctl cost as text. Shared by text.c and xpulp.c. */
#include "user/cost/report.h"

/* Print parts of the text: a packet's stages and the busy resources; packets of several sizes. */
void cost_text__stages(const struct cost_report *r);
void cost_text__sizes(const struct cost_report *r);

void cost_text__xpulp(const struct cost_report *r);

#endif
