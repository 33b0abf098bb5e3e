/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef USER_SPINCTL_SOCKETS_METRICS_H
#define USER_SPINCTL_SOCKETS_METRICS_H

/*
 * Prints the contexts (attached packet handlers) of the daemon spind as OpenMetrics, or in the text format of Prometheus, for `spinctl list
 * --metrics`. Names and labels must not change: dashboards use them. Returns DONE, or FAILED after a message.
 */
int metrics__print(const char *broker, int openmetrics);

#endif
