/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TESTS_MODEL_HANDLERS_MEMORIES_H
#define TESTS_MODEL_HANDLERS_MEMORIES_H

/*
 * For test handlers whose commands read or write memories of the NIC in a given order, which only the NIC model and PsPIN's RTL run:
 * hpu_command_*() (hwmodel/image/command.h), and the addresses of 256 bytes in each memory. Other builds of the handlers do nothing.
 */
#include <spin/spin.h>

struct memories {
	uint8_t bytes[256] __attribute__((aligned(64)));
};

#ifdef __riscv
#include "hwmodel/image/command.h"

#define IN_HANDLER_MEMORY(state) ((uint32_t)(uintptr_t)(state)->bytes)
#define IN_PACKET_MEMORY         HPU_REG_(0x44) /* the packet in L2, */
#define IN_L1                    HPU_REG_(0x10) /* and its copy */
#define HOST_HIGH                HPU_REG_(0x38)
#define HOST_LOW                 HPU_REG_(0x3c)

static inline __attribute__((always_inline)) void wait_for_all(uint32_t first, uint32_t second, uint32_t third, uint32_t fourth)
{
	hpu_command_wait(first);
	hpu_command_wait(second);
	hpu_command_wait(third);
	hpu_command_wait(fourth);
}
#endif

#endif
