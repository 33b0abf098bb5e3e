/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_INGRESS_H
#define HWMODEL_NIC_INGRESS_H

/*
 * The ingress link, on which packets arrive one after the other, and the inbound engine's path into packet memory. A packet that finds no
 * room is lost, or holds back the later packets of its context; packets of other contexts pass it (A: each context is a class of traffic
 * that the link can pause, IEEE 802.1Qbb). Times are in picoseconds since pspin__open(). Called by pspin.c, open.c and her_queue.c.
 */
#include "hwmodel/nic/nic.h"

/* As pspin__offer(). A packet whose time is in the past arrives at once. Copies the frame. */
int ingress__offer(struct pspin *nic, const struct pspin_offer *offer);
/* Called when packet memory was freed: admits packets that are held back. */
void ingress__room(struct device *device);
/* Drops a context's offered packets that have not arrived. */
void ingress__close(struct pspin *nic);

#endif
