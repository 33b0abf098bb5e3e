/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_COST_JSON_H
#define USER_COST_JSON_H

/* Writes parts of the JSON document of `spinctl cost --json`, for json.c, which implements all of them except the last one (xpulp.c). */
#include "user/cost/report.h"

/* Write parts of the document: throughput and line rates; latency stages of a packet; packets of several sizes. */
void cost_json__rates(struct json *j, const struct cost_report *r, const struct cost_point *p);
void cost_json__stages(struct json *j, const struct cost_report *r);
void cost_json__sizes(struct json *j, const struct cost_report *r);

void cost_json__xpulp(struct json *j, const struct cost_report *r);

#endif
