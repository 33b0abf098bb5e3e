/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_PERIPHERALS_H
#define HWMODEL_SOC_PERIPHERALS_H

/*
 * A cluster's devices besides memory: the DMA engine for own transfers of the cores (HPUs), and the event unit, in which HPUs sleep until
 * another wakes them. Called by bus.c.
 */
#include "hwmodel/soc/state.h"

/*
 * The HPU's front end of its cluster's DMA engine: accesses a register, by its offset from HPU_DMA. On entry req->value is the value to
 * store, on return the value loaded.
 */
enum rv32_bus_status dma__access(struct hpu *hpu, struct rv32_bus_request *req, uint32_t off);

/*
 * The event unit of a cluster, as far as PsPIN's own start-up code uses it (its RTL, event_unit_flex). The first HPU pushes a word for
 * a team into the dispatch FIFO; the others sleep in a load (p.elw) until their word is there. Events that are not set in an HPU's mask
 * do not wake it. Other registers answer with a bus fault.
 */

struct event_unit;

struct event_unit *event_unit__new(void);
void event_unit__free(struct event_unit *unit);

/* An HPU's access to its cluster's event unit, by offset from EVENT_UNIT. */
enum rv32_bus_status event_unit__access(struct hpu *hpu, struct rv32_bus_request *req, uint32_t off);

/* Returns 1 if the HPU sleeps. */
int event_unit__sleeps(const struct hpu *hpu);

#endif
