/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef SPIN_TARGET_RV32_COMMAND_H
#define SPIN_TARGET_RV32_COMMAND_H

/*
 * Declares the commands of a PsPIN HPU (a core of the NIC) to the NIC, which the image defines (hwmodel/image/command.h). Included by
 * <spin/target/rv32.h>. Commands that access NIC memory take its global address. The functions that issue a command return its id, 0 to 3,
 * as the driver reports it.
 */
#include <spin/bytes.h>

/* A compiler fence is enough, because the HPU has one in-order port. Not asm: see <spin/target/rv32_atomic.h>. */
#define spin_fence_() __atomic_signal_fence(__ATOMIC_SEQ_CST)

SPIN_INLINE uint32_t spin_nic_address_(const void *at);
SPIN_INLINE uint32_t spin_stack_address_(const void *at); /* the same for an address on the stack */
SPIN_INLINE uint32_t spin_command_to_host_(uint32_t high, uint32_t low, uint32_t from, uint32_t bytes);
SPIN_INLINE uint32_t spin_command_from_host_(uint32_t high, uint32_t low, uint32_t to, uint32_t bytes);
/* Writes up to 8 bytes that are part of the command. */
SPIN_INLINE uint32_t spin_command_write_(uint32_t high, uint32_t low, uint32_t bytes, uint32_t data_low, uint32_t data_high);
/*
 * Sends an IP packet unchanged; sends a put described by struct spin_put at `put`, with the bytes at `from`, in host memory if high is not
 * 0.
 */
SPIN_INLINE uint32_t spin_command_forward_(uint32_t from, uint32_t bytes);
SPIN_INLINE uint32_t spin_command_put_(uint32_t put, uint32_t high, uint32_t from, uint32_t bytes);
/* The same for struct spin_put_acked. */
SPIN_INLINE uint32_t spin_command_acked_(uint32_t put, uint32_t high, uint32_t from, uint32_t bytes);
/* The same for a get of `asked` bytes, and for an atomic. */
SPIN_INLINE uint32_t spin_command_get_(uint32_t put, uint32_t from, uint32_t bytes, uint32_t asked);
SPIN_INLINE uint32_t spin_command_atomic_(uint32_t put, uint32_t from, uint32_t bytes, uint32_t op);

/* Cluster DMA (PsPIN 3.2.2): copies `bytes` bytes between two global addresses in L1 or L2. Returns the transfer's id. */
SPIN_INLINE uint32_t spin_move_begin_(uint32_t to, uint32_t from, uint32_t bytes);
/* Returns 1 if the transfer is done and its data visible. An HPU's transfers end in order. */
SPIN_INLINE _Bool spin_move_is_done_(uint32_t id);
/* Returns the global address, in a cluster's L1, of an address of the own L1. */
SPIN_INLINE uint32_t spin_l1_of_(uint32_t cluster, uint32_t own);

/* Waits until the command is done; returns 1 if it is done. Only command 0 can be tested. */
SPIN_INLINE void spin_command_wait_(uint32_t id);
SPIN_INLINE _Bool spin_command_test_(uint32_t id);
/* Lets another thread of the HPU run, if it has several. */
SPIN_INLINE void spin_command_yield_(void);

/*
 * The time in nanoseconds; the next draw (<spin/random.h>); the packet's VLAN tag, with SPIN_TAGGED_. Registers that PsPIN does not have.
 */
SPIN_INLINE uint64_t spin_command_clock_(void);
SPIN_INLINE uint32_t spin_command_draw_(void);
SPIN_INLINE uint32_t spin_command_tag_(void);
/* The number of the segment's connection; the NIC writes it to the scratchpad. */
SPIN_INLINE uint32_t spin_command_connection_(void);

/*
 * Returns the id of a task's command that follows *commands others. The driver reports the id that was free when the issue began, which is
 * right unless the issue had to wait. Only a task's first command has to wait for the feedback of the previous task: it is always command
 * 0. If all four are in flight, possible from a task's fifth command on, the driver reports the last id, but any may be used. (RTL:
 * hpu_driver.sv, cmd_frontend.)
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
