/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef PSPIN_HWSCHED_H
#define PSPIN_HWSCHED_H

/*
 * Registers of the HPU driver, the hardware through which a core of the NIC (HPU) takes tasks and issues commands, with the names of
 * PsPIN's runtime. Included by handler.h for handler files of `spincc --api pspin`. Each HPU sees its own registers at these addresses.
 * Those from HWSCHED_HANDLER_MEM_ADDR on are the fields of task_t (handler.h).
 */
#include <stdint.h>

#define HWSCHED_HANDLER_FUN_ADDR   0x1b205000 /* for the start-up code: a read waits for a task */
#define HWSCHED_HANDLER_FUN_SIZE   0x1b205004
#define HWSCHED_HANDLER_MEM_ADDR   0x1b205008
#define HWSCHED_HANDLER_MEM_SIZE   0x1b20500c
#define HWSCHED_PKT_ADDR           0x1b205010
#define HWSCHED_PKT_SIZE           0x1b205014
#define HWSCHED_SCRATCHPAD_0_ADDR  0x1b205018
#define HWSCHED_SCRATCHPAD_1_ADDR  0x1b20501c
#define HWSCHED_SCRATCHPAD_2_ADDR  0x1b205020
#define HWSCHED_SCRATCHPAD_3_ADDR  0x1b205024
#define HWSCHED_SCRATCHPAD_0_SIZE  0x1b205028
#define HWSCHED_SCRATCHPAD_1_SIZE  0x1b20502c
#define HWSCHED_SCRATCHPAD_2_SIZE  0x1b205030
#define HWSCHED_SCRATCHPAD_3_SIZE  0x1b205034
#define HWSCHED_HOST_MEM_ADDR_HIGH 0x1b205038
#define HWSCHED_HOST_MEM_ADDR_LOW  0x1b20503c
#define HWSCHED_HOST_MEM_SIZE      0x1b205040
#define HWSCHED_HOST_L2_PKT_ADDR   0x1b205044
#define HWSCHED_HOME_CLUSTER_ID    0x1b205048
#define HWSCHED_FLOW_ID            0x1b20504c
#define HWSCHED_DOORBELL           0x1b205050 /* for the start-up code: a read ends the task */
#define HWSCHED_ERROR              0x1b205054

/* Commands to the NIC: write the words and the info, then read CMD_ISSUE, which returns the id. */
#define CMD_ISSUE 0x1b205080
#define CMD_WAIT  0x1b205084
#define CMD_TEST  0x1b205088
#define CMD_INFO  0x1b20508c
#define CMD_WORD0 0x1b205090
#define CMD_WORD1 0x1b205094
#define CMD_WORD2 0x1b205098
#define CMD_WORD3 0x1b20509c
#define CMD_WORD4 0x1b2050a0
#define CMD_WORD5 0x1b2050a4
#define CMD_WORD6 0x1b2050a8

#define MMIO_READ(addr)         (*(volatile uint32_t *)(addr))
#define MMIO_WRITE(addr, value) (*(volatile uint32_t *)(addr) = (value))

#endif
