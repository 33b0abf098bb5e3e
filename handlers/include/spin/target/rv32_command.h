/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_COMMAND_H
#define SPIN_TARGET_RV32_COMMAND_H

/*
 * PsPIN's commands, defined by the image (hwmodel/image/command.h). Those that read or write NIC memory take its
 * address as the NIC knows it. All but the last two give the command's id, 0 to 3, as it is told.
 */
#include <spin/bytes.h>

/* Fences of the compiler's only: the HPU has one in-order port. Without asm, see <spin/target/rv32.h>. */
#define spin_fence_() __atomic_signal_fence(__ATOMIC_SEQ_CST)

SPIN_INLINE uint32_t spin_nic_address_(const void *at);
SPIN_INLINE uint32_t spin_stack_address_(const void *at); /* the same of what is on the stack */
SPIN_INLINE uint32_t spin_command_to_host_(uint32_t high, uint32_t low, uint32_t from, uint32_t bytes);
SPIN_INLINE uint32_t spin_command_from_host_(uint32_t high, uint32_t low, uint32_t to, uint32_t bytes);
/* Up to 8 bytes that go along with the command. */
SPIN_INLINE uint32_t spin_command_write_(uint32_t high, uint32_t low, uint32_t bytes, uint32_t data_low, uint32_t data_high);
/* An IP packet as it stands; what struct spin_put at `put` says, with the bytes at `from`: in the host if high is not 0. */
SPIN_INLINE uint32_t spin_command_forward_(uint32_t from, uint32_t bytes);
SPIN_INLINE uint32_t spin_command_put_(uint32_t put, uint32_t high, uint32_t from, uint32_t bytes);
/* The same of struct spin_put_acked. */
SPIN_INLINE uint32_t spin_command_acked_(uint32_t put, uint32_t high, uint32_t from, uint32_t bytes);
/* The same of a get, with the bytes asked for, and of an atomic. */
SPIN_INLINE uint32_t spin_command_get_(uint32_t put, uint32_t from, uint32_t bytes, uint32_t asked);
SPIN_INLINE uint32_t spin_command_atomic_(uint32_t put, uint32_t from, uint32_t bytes, uint32_t op);

/* Cluster DMA (PsPIN 3.2.2): `bytes` bytes between two places in L1 or L2, as the NIC knows them. Gives the transfer's id. */
SPIN_INLINE uint32_t spin_move_begin_(uint32_t to, uint32_t from, uint32_t bytes);
/* 1 if it is done; what it wrote is there. Those of an HPU end in their order. */
SPIN_INLINE _Bool spin_move_is_done_(uint32_t id);
/* Where an address of the own L1 is in a cluster's, as all know it. */
SPIN_INLINE uint32_t spin_l1_of_(uint32_t cluster, uint32_t own);

/* Returns when it is done; 1 if it is. Only command 0 can be tested. */
SPIN_INLINE void spin_command_wait_(uint32_t id);
SPIN_INLINE _Bool spin_command_test_(uint32_t id);
/* Others may have the HPU, if it has several threads. */
SPIN_INLINE void spin_command_yield_(void);

/* Nanoseconds; the next draw (<spin/random.h>); the packet's VLAN tag, with SPIN_TAGGED_: registers that PsPIN has not. */
SPIN_INLINE uint64_t spin_command_clock_(void);
SPIN_INLINE uint32_t spin_command_draw_(void);
SPIN_INLINE uint32_t spin_command_tag_(void);

/*
 * The id of a task's command that comes behind so many others. It is told the one that was free when its issue began, which is
 * its own unless the issue had to wait. For the feedback of the task before, only a task's first command has to: it is command
 * 0 then, as it is else. Where all four are in flight, so from a task's fifth on, the last one is told, and it may be any.
 * (RTL: hpu_driver.sv, cmd_frontend.)
 */
#define SPIN_ANY_COMMAND_ 8u

SPIN_INLINE uint32_t spin_command_id_(uint32_t *commands, uint32_t told)
{
	uint32_t before = (*commands)++;

	if (!before)
		return 0;
	if (before > 3 && __builtin_expect(told >= 3, 0))
		return SPIN_ANY_COMMAND_;
	if (told >= SPIN_ANY_COMMAND_)
		__builtin_unreachable();
	return told;
}

static __attribute__((noinline, cold, unused)) void spin_commands_await_(void)
{
	for (uint32_t id = 0; id < SPIN_ANY_COMMAND_; id++)
		spin_command_wait_(id);
}

SPIN_INLINE void spin_command_await_(uint32_t id)
{
	if (__builtin_expect(id == SPIN_ANY_COMMAND_, 0))
		spin_commands_await_();
	else
		spin_command_wait_(id);
}

#endif
