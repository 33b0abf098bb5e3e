/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef NIC_TRAFFIC_H
#define NIC_TRAFFIC_H

/* What is offered to a NIC and waits there, and what was seen of it. */
#include <hwmodel/traffic.h>

struct traffic;

void nic_traffic__free(struct pspin *nic);

#endif
