/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_PERIPHERALS_H
#define HWMODEL_SOC_PERIPHERALS_H

/*
 * What a cluster has for its HPUs in addition to memory: the DMA engine for their own transfers, and the event unit. Called by
 * bus.c.
 */
#include "hwmodel/soc/state.h"

/*
 * The HPU's front end of its cluster's DMA engine: an access to a register, by its offset from HPU_DMA. On entry req->value is what to
 * store, on return what was loaded.
 */
enum rv32_bus_status dma__access(struct hpu *hpu, struct rv32_bus_request *req, uint32_t off);

/*
 * The event unit of a cluster, as far as PsPIN's own start-up uses it (its RTL, event_unit_flex): its first HPU pushes a word
 * for a team into the dispatch FIFO, and the others sleep in a load (p.elw) until theirs is there. Events that an HPU does
 * not ask for in its mask do not wake it. Other registers answer with a bus fault.
 */

struct event_unit;

struct event_unit *event_unit__new(void);
void event_unit__free(struct event_unit *unit);

/* An HPU's access to its cluster's, by offset from EVENT_UNIT. */
enum rv32_bus_status event_unit__access(struct hpu *hpu, struct rv32_bus_request *req, uint32_t off);

/* 1: the HPU sleeps. */
int event_unit__sleeps(const struct hpu *hpu);

#endif
