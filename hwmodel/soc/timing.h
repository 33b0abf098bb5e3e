/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_TIMING_H
#define HWMODEL_SOC_TIMING_H

/*
 * The constants of the SoC that no target changes, each part of how a mechanism works; in cycles of the NIC's clock unless stated
 * otherwise. What a target may change is in target/parameters.def, what belongs to the core in core/timing.h; no other file of the
 * model has a cycle count. Sources as in parameters.def: P = measured on PsPIN's RTL, by the row's name (tests/accuracy/); D =
 * derived from such rows; S = PsPIN's structure as its RTL has it; A = assumed.
 */

#include "hwmodel/soc/state.h"

/* --- L1 and L2 (l1.c, l2.c, bus.c) --- */

/* S: of longer AMOs a core alone would not know the end (struct rv32_config). */
#define L1_AMO_OF_CORES 2u
/* Units of the incoming port's time, per cycle: target->remote_port_* are hundredths. */
#define PORT_UNITS 100
/* A: the port's cycle for an access is that of its HPU, and this: no latency is shorter. */
#define L2_PORT_REACH 1u
/* S: reads that the port has at once, and writes; an AMO is one of each (number; axi_id_remap.sv). */
#define L2_PORT_IDS 8u
/* S: from a write's coming to its memory to its answer there (axi_riscv_lrsc.sv). */
#define L2_WRITE_FLIGHT_CYCLES 3u
/* P: the part of an access's latency outside of the port, on both ways: an ID is in use for 7 cycles by a load and a store. */
#define L2_PORT_AROUND 14u
/* P: an AMO's ID is free so much earlier than by that: it is in use for 12 cycles. */
#define AMO_ID_EARLY_CYCLES 1u
/* P: from an ID to the memory; none where a load does not take as long (sPIN's targets). */
#define L2_PORT_PATH_CYCLES 2u
/* S: registers behind the choice between clusters (number). */
#define CHANNEL_CHOSEN 2u
/*
 * An SC that is refused in front of handler memory does not go there. P: 19 cycles of 21 (packet memory: 21). Its answer still comes in
 * order, behind those of SCs before it. D: eight HPUs' LR and SC of one word.
 */
#define SC_REFUSED_CYCLES 2u

/* --- packet copies (copies.c) --- */

#define COPY_BUFFERED      2u /* D: transfers that are read while the writer is busy (number); tasks of 16 and 32 HPUs begin by it */
#define COPY_PLACE_CYCLES  4u /* D: from a copy's first beat to its place being free, by the same */
#define COPY_ANSWER_CYCLES 2u /* D: from a beat's place in L1 to who waits for it knowing of it; 512-byte commands of 8 HPUs */
/*
 * From the last beat that a cluster's DMA reads of one L2 memory to the first that it may read of the other: the answer goes back to
 * where the ways part (axi_demux.sv in l2_xbar.sv), then the next request sets out. S; D: when the transfers of eight HPUs are done that
 * alternate with packet copies in kvstore's burst.
 */
#define DMA_TURN_FROM_PACKET_CYCLES  2u
#define DMA_TURN_FROM_HANDLER_CYCLES 5u
/* S: a cluster's DMA makes a burst of each page that it touches (bytes; axi_dma_burst_reshaper.sv). */
#define DMA_PAGE_BYTES 4096u
/*
 * D: each burst of a transfer that was split so takes at least so many cycles to be read if another waits behind it; of one that comes
 * alone all bursts are requested at once. Copies of 5, 7 and 9 beats that follow each other at a beat a cycle, and alone.
 */
#define DMA_PART_CYCLES  3u
#define RING_BACK_CYCLES 2u /* S: from a slot of the packet buffer being given back to its use: its bit, then the head behind it */

/* --- commands (commands.c) --- */

#define INTERFACE_CYCLES 2u /* S: from an HPU through its queue and its cluster's register to an interface */
/*
 * When a transfer's beats pass the port of its cluster's L1 (nhi_port_wrap.sv): from so much behind its command on for a send and for a
 * DMA to the host; for one from the host so long before its HPU learns that it is done. D: to the cycle modulo the groups of banks,
 * bodies of pingpong and copy_from_host in their bursts.
 */
#define SEND_CYCLES          0u
#define READ_FOR_HOST_CYCLES 5u
#define WRITTEN_CYCLES       6u

/* --- HPUs, event unit, schedulers --- */

/* A: an image may take so long until it waits for its first task, however short the target's watchdog is: cold, one HPU at a time. */
#define BOOT_CYCLES 32768u
/* A: from a pop of a word that is there, or from a push for an HPU that sleeps, to the answer; read in the RTL, not measured. */
#define EVENT_UNIT_WAKE_CYCLES 3u
/* S: from the waiting feedback being taken to the HPU that waits for it being idle. */
#define FEEDBACK_STALL_CYCLES 2u
/*
 * A: per step of a handler's budget, so that the budget ends a handler before the watchdog does; a look at a lock in L2 takes about half.
 */
#define WATCHDOG_STEP_CYCLES 64u
/* A: a task's way from the MPQ engine to an HPU, with the copy of its packet; scheduler = fair_hpu_time. */
#define TASK_WAY_CYCLES 64u

/*
 * A: cycles from where a thread waited to the first instruction for which it has the pipeline again. After a command that is behind
 * the access, which is answered after one cycle of waiting, so that the pipeline hides what it hides for such a wait. An access in
 * which the thread yielded is repeated.
 */
static const uint64_t thread_back_cycles[] = { [PARK_TASK] = 1, [PARK_COMMAND] = 2, [PARK_YIELD] = 0, [PARK_SLICE] = 0 };

#endif
