/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef HWMODEL_IMAGE_REGISTERS_H
#define HWMODEL_IMAGE_REGISTERS_H

/*
 * Addresses of PsPIN's registers and memories as an HPU, a core of the NIC, sees them. Included by the C and assembly of handler images and
 * by the model, which must agree. Source: PsPIN's RTL (hwmodel/README.md, "Structure" and "HPU driver").
 */

/* HPU driver: each HPU has its own registers */
#define HPU_DRIVER        0x1b205000
#define HPU_FUNCTION      0x00       /* a read blocks until there is a task */
#define HPU_TASK          0x08       /* struct hpu_task: the handler's task descriptor */
#define HPU_DOORBELL      0x50       /* a read ends the task */
#define HPU_ERROR         0x54       /* why the task failed; the doorbell follows */
#define HPU_COMMAND_ISSUE 0x80       /* a read issues and returns the command's id, 0 to 3 */
#define HPU_COMMAND_WAIT  0x84       /* a write of an id blocks until that command is done */
#define HPU_COMMAND_TEST  0x88       /* a read: 1 if command 0 is done; a write has no effect in PsPIN */
#define HPU_YIELD         0xffffffff /* written there, not an id: lets other threads have the HPU; PsPIN's have one and ignore it */
#define HPU_COMMAND_INFO  0x8c       /* bits 2:1 type, bit 0 event wanted */
#define HPU_COMMAND_WORD  0x90       /* up to 7 words */
#define HPU_DRIVER_BYTES  0x100

/*
 * Extensions of the driver. PsPIN's RTL does not have them: a read returns what the command registers (0x80 to 0xa4) answered last. A read
 * takes one cycle, like one of the driver's other registers.
 */
#define HPU_CLOCK_LOW  0xc0 /* nanoseconds of the NIC's clock, shared by all HPUs; a read latches the upper half, */
#define HPU_CLOCK_HIGH 0xc4 /* which is read here */
#define HPU_RANDOM     0xc8 /* this HPU's next draw, for <spin/random.h> */
#define HPU_TAG        0xcc /* of the task's packet: bit 16: it has a VLAN tag, bits 15:0: the outermost tag; 0: no tag */

/* HPU_COMMAND_INFO, and the second word of a send: the kind of packet */
#define HPU_COMMAND_HOST_DMA    0
#define HPU_COMMAND_NIC_SEND    2
#define HPU_COMMAND_HOST_DIRECT 4
#define HPU_SEND_REPLY          0 /* the reply to the packet that arrived */
#define HPU_SEND_PUT            1 /* a new packet: the first word is the address of struct spin_put */
#define HPU_SEND_FORWARD        2
#define HPU_SEND_GET            3 /* like HPU_SEND_PUT; the sixth word: number of bytes requested */
#define HPU_SEND_ATOMIC         4 /* like HPU_SEND_PUT; the sixth word: enum spin_atomic */

#define HPU_SEND_ACKED 5 /* like HPU_SEND_PUT, with struct spin_put_acked */

/* HPU_ERROR: a trap writes mcause, which is below 32 or has bit 31 set. The following are the runtime's own. */
#define HPU_ERROR_FAIL       0x101 /* handler returned FAIL */
#define HPU_ERROR_SEGV       0x102 /* handler returned SEGV */
#define HPU_ERROR_BAD_RETURN 0x103 /* handler returned a value that is not a return code of its kind */
#define HPU_ERROR_OVERRUN    0x104 /* handler used up its budget */

/* Instruction cache control, from the own L1's base */
#define HPU_ICACHE_ENABLE 0x1b201400
#define HPU_ICACHE_FLUSH  0x1b201404

/* Cluster DMA front end, from the own L1's base */
#define HPU_DMA    0x1b204400 /* +0/4 source low/high, +8/12 destination, +16 length */
#define DMA_LAUNCH 0x18       /* a read launches and returns the transfer's id */
#define DMA_DONE   0x20       /* id of the last transfer that is done */
#define DMA_BYTES_ 0x28       /* size of the front end's registers */

/* Event unit of the cluster, from the own L1's base: the part that PsPIN's own start-up code uses */
#define EVENT_UNIT                0x1b204000
#define EVENT_UNIT_MASK           0x00 /* the events that wake this HPU, one bit each */
#define EVENT_UNIT_MASK_AND       0x04 /* a write clears bits of the mask, */
#define EVENT_UNIT_MASK_OR        0x08 /* or sets them */
#define EVENT_UNIT_DISPATCH       0x80 /* a write sends a word to the team, a read waits for one */
#define EVENT_UNIT_TEAM           0x84 /* a write: the HPUs that get the next word */
#define EVENT_UNIT_BYTES          0x400
#define EVENT_UNIT_DISPATCH_EVENT 18

/* Output of a program's printf, one character per word; the model discards it */
#define SOC_STDOUT       0x1a104000
#define SOC_STDOUT_BYTES 0x1000

/* The cluster's registers, at this offset from either address of its L1 */
#define CLUSTER_REGISTERS       0x00200000
#define CLUSTER_REGISTERS_BYTES 0x00200000

/* L1 of cluster i is at L1_GLOBAL + i * L1_STRIDE; the own L1 is also at L1_OWN */
#define L1_GLOBAL 0x10000000
#define L1_STRIDE 0x00400000
#define L1_OWN    0x1b000000

/* Inside each L1 */
#define L1_STACKS      0x400
#define L1_STACK_BYTES 0x400 /* per HPU; its arguments are at the upper end */
#define L1_ARGS_BYTES  16

#endif
