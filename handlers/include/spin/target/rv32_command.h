/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_COMMAND_H
#define SPIN_TARGET_RV32_COMMAND_H

/*
 * PsPIN's commands, defined by the image (hwmodel/image/command.h). Those that read or write NIC memory take its
 * address as the NIC knows it. All but the last two give the command's id, 0 to 3.
 */
#include <spin/bytes.h>

/* Fences of the compiler's only: the HPU has one in-order port. Without asm, see <spin/target/rv32.h>. */
#define spin_fence_() __atomic_signal_fence(__ATOMIC_SEQ_CST)

SPIN_INLINE uint32_t spin_nic_address_(const void *at);
SPIN_INLINE uint32_t spin_command_to_host_(uint32_t high, uint32_t low, uint32_t from, uint32_t bytes);
SPIN_INLINE uint32_t spin_command_from_host_(uint32_t high, uint32_t low, uint32_t to, uint32_t bytes);
/* Up to 8 bytes that go along with the command. */
SPIN_INLINE uint32_t spin_command_write_(uint32_t high, uint32_t low, uint32_t bytes, uint32_t data_low,
					 uint32_t data_high);
/* An IP packet as it stands; what struct spin_put at `put` says, with the bytes at `from`: in the host if high is not 0. */
SPIN_INLINE uint32_t spin_command_forward_(uint32_t from, uint32_t bytes);
SPIN_INLINE uint32_t spin_command_put_(uint32_t put, uint32_t high, uint32_t from, uint32_t bytes);

/* Returns when it is done; 1 if it is. */
SPIN_INLINE void spin_command_wait_(uint32_t id);
SPIN_INLINE _Bool spin_command_test_(uint32_t id);

#endif
