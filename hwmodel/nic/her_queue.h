/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_NIC_HER_QUEUE_H
#define HWMODEL_NIC_HER_QUEUE_H

/*
 * The queue of HERs (handler execution requests, one for each packet for the handlers) between packet memory and the SoC's MPQ engine,
 * which issues their tasks; and the path back. Stored packets are decided in order. A packet that handlers are to see gets a slot (its
 * message's place in the engine) and a HER, which waits until the engine has room. The end of each task is reported to the context's kind:
 * datagrams, messages or a third-party image. Called by the files of nic/.
 */
#include "hwmodel/nic/record.h"
#include "hwmodel/nic/slots.h"

/* The machine's callbacks. */
extern const struct soc_nic nic_hooks;

/* Runs the inbound engine's tests. Returns 0 if the packet does not match; its record then has the reason. */
int her_queue__classify(struct pspin *nic, struct inflight *inflight);
/* If payloads must begin a line: reserves bytes in front of a packet with `headers_bytes` of headers. Returns how many. */
uint32_t her_queue__align(const struct pspin *nic, struct inflight *inflight, uint32_t headers_bytes);
/* Called when the whole packet is in packet memory. */
void her_queue__stored(struct pspin *nic, struct inflight *inflight);
/* Queues a HER of the slot. `payload` is the address of its data task's function. */
void her_queue__add(struct pspin *nic, struct inflight *inflight, struct slot *slot, uint32_t payload, int end_of_message);
/* Drops the packet: no MPQ is free, and the link does not wait. */
enum decision her_queue__lose(struct pspin *nic, struct inflight *inflight);
/* Adds an event that advances packets. Called when a packet may be able to advance. */
void her_queue__wake(struct pspin *nic);

/* Frees the packet and its packet memory. */
void her_queue__free(struct pspin *nic, struct inflight *inflight);

/* Runs the NIC until nothing is left to do. Returns 0; -EDEADLK if packets are left; -ENOMEM. */
int nic__run_to_end(struct pspin *nic);
/* 1: from here on each packet has the whole machine for itself, in home cluster 0, and every fetch hits. 0: ends this mode. */
void nic__one_at_a_time(struct pspin *nic, int on);
/* Did memory run out? Then results must not be used. */
int device__is_incomplete(const struct device *device);
/* Returns the first context with a packet that can never advance; NULL if none. */
struct pspin *device__find_stuck(const struct device *device);

#endif
