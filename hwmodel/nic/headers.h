/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef NIC_HEADERS_H
#define NIC_HEADERS_H

/*
 * A packet's headers as its handlers leave them to each other. The machine copies the packet from L2 again for each task;
 * this is what makes up for it, as NIC hardware.
 */
#include "hwmodel/nic/nic.h"

/* Ethernet with two tags, IP with options, UDP */
#define HEADERS_BYTES_MAX 128u

/* The frame's headers, with the port that the datagram has by now: handlers may have rewritten it. */
void headers__now(struct pspin *nic, const struct flight *flight, uint32_t packet_l1, uint8_t to[HEADERS_BYTES_MAX]);

/* A task has ended: what the next one is to find goes back to L2. */
void headers__put_back(struct pspin *nic, const struct flight *flight, const struct soc_task *task);

#endif
