/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_L2_H
#define HWMODEL_SOC_L2_H

/*
 * The read port of packet memory in L2, which packet copies to L1 and HPUs' loads share, and the port of all HPUs to L2
 * (hwmodel/README.md, "L2"). Called by copies.c and bus.c.
 */
#include "hwmodel/soc/pages.h"
#include "hwmodel/soc/state.h"

/* The read port of packet memory, a reservation table. Loads must come in order of cycle. */

struct l2;
struct l2_port;

struct l2 *l2__new(void);
void l2__free(struct l2 *l2);

/*
 * Returns the cycle in which a load is read that arrives at `cycle`. If a burst has that cycle, its beats from there on move by a cycle,
 * and so do those that follow without a gap: the function that l2__on_delay() sets is called.
 */
uint64_t l2__load(struct l2 *l2, uint64_t cycle);
void l2__on_delay(struct l2 *l2, void (*delayed)(void *arg, uint64_t cycle), void *arg);

/*
 * A cluster's DMA reads `beats` from packet or handler memory, at `cycle` at the earliest (it may be known before): returns the cycle of
 * its first beat; the others follow one per cycle. Beats of packet memory take the first time that is free for all of them. A cluster's
 * reads have one ID on the way to both memories, so the first one of the other memory waits for the answers to all before it.
 * Parts of fewer than DMA_PART_CYCLES beats keep what waits behind them.
 */
uint64_t l2__read(struct l2 *l2, struct dma *dma, enum memory_region from, struct parts parts, uint64_t cycle, unsigned beats);

/* Cycles in which it was busy. */
uint64_t l2__read_busy(const struct l2 *l2);

/*
 * The one port of all HPUs to L2 (hwmodel/README.md, "L2"). Loads come in one channel and stores in another: of each cluster in order,
 * the clusters round robin. In a cycle one access of each channel is admitted, if there is an ID for it; while a store or an AMO that was
 * admitted waits, none is. AMOs need both channels, and alternate with loads. Loads advance in the order in which they were admitted: to
 * packet memory, or into the queue of those in handler memory, where in one cycle either one enters or one leaves. Reads of AMOs are in
 * that queue, too. Source: PsPIN's pe_noc.sv, axi_id_remap.sv, axi_dw_upsizer.sv, axi_riscv_amos.sv and axi_riscv_lrsc.sv, and the states
 * of these in bursts.
 */

struct l2_port *l2_port__new(struct soc *soc); /* NULL: no memory */
void l2_port__free(struct l2_port *port);

/*
 * The HPU's access, of this latency on an idle machine, sets out at this cycle; it is pending until soc__grant(). Whether an SC stores is in
 * hpu->sc_stores then. Calls come in order of cycle.
 */
void l2_port__request(struct l2_port *port, struct hpu *hpu, uint64_t cycle, enum memory_region region, enum rv32_access kind,
		      uint32_t addr, uint64_t latency_cycles);

/* Cycles in which it was busy. */
uint64_t l2_port__busy(const struct l2_port *port);

#endif
