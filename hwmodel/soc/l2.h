/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_L2_H
#define HWMODEL_SOC_L2_H

/*
 * Timing of L2 memory: the read port of packet memory, shared by packet copies to L1 and the cores' (HPUs') loads, and the port of all HPUs
 * (hwmodel/README.md, "L2"). Called by copies.c, peripherals.c and bus.c.
 */
#include "hwmodel/soc/pages.h"
#include "hwmodel/soc/state.h"

/* The read port of packet memory, a reservation table. Loads must come in order of cycle. */

struct l2;
struct l2_port;

struct l2 *l2__new(void);
void l2__free(struct l2 *l2);

/*
 * Returns the cycle in which a load that arrives at `cycle` is read. If a burst has that cycle, its beats from there on, and those that
 * follow without a gap, move by a cycle, and the function set by l2__on_delay() is called.
 */
uint64_t l2__load(struct l2 *l2, uint64_t cycle);
void l2__on_delay(struct l2 *l2, void (*delayed)(void *arg, uint64_t cycle), void *arg);

/*
 * Reads `beats` from packet or handler memory for a cluster's DMA, at `cycle` or later; `cycle` may be in the future. Returns the cycle
 * of the first beat; the others follow one per cycle. Beats of packet memory take the first interval that is free for all of them. A
 * cluster's reads use one ID for both memories, so the first read of the other memory waits for the answers to all earlier ones. Parts
 * of fewer than DMA_PART_CYCLES beats delay the reads behind them.
 */
uint64_t l2__read(struct l2 *l2, struct dma *dma, enum memory_region from, struct parts parts, uint64_t cycle, unsigned beats);

/* Returns the cycles in which it was busy. */
uint64_t l2__read_busy(const struct l2 *l2);

/*
 * The one port of all HPUs to L2 (hwmodel/README.md, "L2"). Loads arrive in one channel and stores in another: in order for each
 * cluster, round robin over the clusters. In each cycle one access of each channel is admitted, if there is an ID for it; none is
 * admitted while a store or an AMO that was admitted waits. AMOs need both channels, and alternate with loads. Loads advance in order
 * of admission: to packet memory, or into the queue of loads in handler memory, where in one cycle either one enters or one leaves.
 * Reads of AMOs are also in that queue. Source: PsPIN's pe_noc.sv, axi_id_remap.sv, axi_dw_upsizer.sv, axi_riscv_amos.sv and
 * axi_riscv_lrsc.sv, and their states in bursts.
 */

struct l2_port *l2_port__new(struct soc *soc); /* NULL: no memory */
void l2_port__free(struct l2_port *port);

/*
 * Sends the HPU's access, of this latency on an idle machine, at this cycle; it is pending until soc__grant(). hpu->sc_stores then says
 * whether an SC stores. Calls must be in order of cycle.
 */
void l2_port__request(struct l2_port *port, struct hpu *hpu, uint64_t cycle, enum memory_region region, enum rv32_access kind,
		      uint32_t addr, uint64_t latency_cycles);

/* Returns the cycles in which it was busy. */
uint64_t l2_port__busy(const struct l2_port *port);

#endif
