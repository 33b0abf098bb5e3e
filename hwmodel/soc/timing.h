/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_SOC_TIMING_H
#define HWMODEL_SOC_TIMING_H

/*
 * Timing constants of the SoC model that no target file changes, each a part of a mechanism; in cycles of the NIC's clock unless stated
 * otherwise. target/parameters.def has the constants that a target may change, core/timing.h those of the core; no other file of the model
 * has a cycle count. Sources as in parameters.def: P = measured on PsPIN's RTL, by the row's name (tests/accuracy/); D = derived from such
 * rows; S = PsPIN's structure as its RTL has it; A = assumed.
 */

#include "hwmodel/soc/state.h"

/* --- L1 and L2 (l1.c, l2.c, bus.c) --- */

/* S: a core that is alone does not know the end of a longer AMO (struct rv32_config). */
#define L1_AMO_OF_CORES 2u
/* Units of the incoming port's time, per cycle: target->remote_port_* are hundredths. */
#define PORT_UNITS 100
/* A: the port handles an access this many cycles after its HPU's: no latency is shorter. */
#define L2_PORT_REACH 1u
/* S: reads and writes that the port has in flight; an AMO is one of each (number; axi_id_remap.sv). */
#define L2_PORT_IDS 8u
/* S: from a write's arrival at its memory to its answer there (axi_riscv_lrsc.sv). */
#define L2_WRITE_FLIGHT_CYCLES 3u
/* P: the part of an access's latency outside the port, both ways: an ID is in use for 7 cycles by a load and a store. */
#define L2_PORT_AROUND 14u
/* P: an AMO's ID is freed this much earlier than that implies: it is in use for 12 cycles. */
#define AMO_ID_EARLY_CYCLES 1u
/* P: from an ID to the memory; 0 if a load does not take that long (sPIN's targets). */
#define L2_PORT_PATH_CYCLES 2u
/* S: registers after the arbitration between clusters (number). */
#define CHANNEL_CHOSEN 2u
/*
 * An SC that is refused in front of handler memory does not reach it. P: 19 cycles instead of 21 (packet memory: 21). Its answer still
 * comes in order, behind those of earlier SCs. D: eight HPUs' LR and SC of one word.
 */
#define SC_REFUSED_CYCLES 2u

/* --- packet copies (copies.c) --- */

#define COPY_BUFFERED      2u /* D: transfers that are read while the writer is busy (number); from when tasks of 16 and 32 HPUs begin */
#define COPY_PLACE_CYCLES  4u /* D: from a copy's first beat to its slot being free, from the same */
#define COPY_ANSWER_CYCLES 2u /* D: from a beat's write in L1 to the waiting component's notice; 512-byte commands of 8 HPUs */
/*
 * From the last beat that a cluster's DMA reads of one L2 memory to the first that it may read of the other: the answer returns to
 * where the paths divide (axi_demux.sv in l2_xbar.sv), then the next request is sent. S; D: end of the transfers of eight HPUs that
 * alternate with packet copies in kvstore's burst.
 */
#define DMA_TURN_FROM_PACKET_CYCLES  2u
#define DMA_TURN_FROM_HANDLER_CYCLES 5u
/* S: a cluster's DMA makes a burst of each page that it touches (bytes; axi_dma_burst_reshaper.sv). */
#define DMA_PAGE_BYTES 4096u
/*
 * D: each burst of a split transfer takes at least this many cycles to be read if another one waits behind it; for a transfer that
 * comes alone all bursts are requested at once. Copies of 5, 7 and 9 beats that follow each other at a beat a cycle, and alone.
 */
#define DMA_PART_CYCLES  3u
#define RING_BACK_CYCLES 2u /* S: from a freed slot of the packet buffer to its reuse: its bit, then the head behind it */

/* --- commands (commands.c) --- */

#define HANDLER_READS     2u /* S: reads of handler memory that an interface has in flight (number; axi_id_remap in nhi_xbar.sv) */
#define WRITE_TURN_CYCLES 1u /* S: between a DMA's writes to L1 and to L2, in addition to their answer; seen in the RTL's signals */
#define INTERFACE_CYCLES  2u /* S: from an HPU through its queue and its cluster's register to an interface */
/*
 * When a transfer's beats pass the port of its cluster's L1 (nhi_port_wrap.sv): for a send and a DMA to the host, cycles after its
 * command; for a DMA from the host, cycles before its HPU learns that it is done. D: to the cycle modulo the groups of banks, bodies of
 * pingpong and copy_from_host in their bursts.
 */
#define SEND_CYCLES          0u
#define READ_FOR_HOST_CYCLES 5u
#define WRITTEN_CYCLES       6u

/* --- HPUs, event unit, schedulers --- */

/*
 * A: the time that an image may take until it waits for its first task, even if the target's watchdog is shorter: cold, one HPU at a
 * time.
 */
#define BOOT_CYCLES 32768u
/* A: from a pop of a word that is present, or from a push for a sleeping HPU, to the answer; read from the RTL, not measured. */
#define EVENT_UNIT_WAKE_CYCLES 3u
/* S: from the waiting feedback being taken to the end of the stall of its HPU. */
#define FEEDBACK_STALL_CYCLES 2u
/*
 * A: per step of a handler's budget, so that the budget ends a handler before the watchdog does; a poll of a lock in L2 takes about
 * half.
 */
#define WATCHDOG_STEP_CYCLES 64u
/* A: from the MPQ engine to an HPU, with the copy of the task's packet; scheduler = fair_hpu_time. */
#define TASK_WAY_CYCLES 64u

/*
 * A: cycles from the point where a thread waited to the first instruction after it has the pipeline again. After a command that point
 * is behind the access, which is answered after one cycle of waiting, so that the pipeline hides as much as for such a wait. An access
 * in which the thread yielded is repeated.
 */
static const uint64_t thread_back_cycles[] = { [PARK_TASK] = 1, [PARK_COMMAND] = 2, [PARK_YIELD] = 0, [PARK_SLICE] = 0 };

#endif
