/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Start-up code, runtime loop and trap handler that spincc links into every handler image, a complete program for the cores of a PsPIN NIC
 * (HPUs). All HPUs start at _start in machine mode; handlers run in user mode.
 *
 * PsPIN's calibration rows were measured with this runtime loop: from the task to the first handler instruction 4 cycles, from the
 * handler's return to the doorbell 3, from one start to the next B + 9, where B is the handler's own cycles.
 */
#include "hwmodel/include/hwmodel/registers.h"

#define CSR_MSTATUS_MPP (3 << 11)

	.option	arch, +zicsr
	.section .init, "ax"
	.globl _start
	.type _start, @function
_start:
	csrr	a5, mhartid

	.option push
	.option norelax
	la	gp, __global_pointer$
	.option pop

	/*
	 * A fetch in flight while the instruction cache is switched on is lost (RTL). So all other HPUs sleep until it is on, as in PsPIN's
	 * own start-up code. Until the cache is on, all 32 HPUs share one port of program memory, 4 cycles a line of 16 bytes: one
	 * iteration of a loop on each of them took 124 cycles, measured on the RTL.
	 */
	li	t1, EVENT_UNIT
	li	t2, 1 << EVENT_UNIT_DISPATCH_EVENT
	sw	t2, EVENT_UNIT_MASK(t1)
	andi	a4, a5, 31		/* HPU in cluster */
	beqz	a4, first
	.insn	i 0x03, 6, t0, EVENT_UNIT_DISPATCH(t1) /* p.elw */
	j	ready

	/*
	 * The following code stays where it was when the RTL was measured: the cost of cold code depends on its address
	 * (model/cold_code).
	 */
	.skip	6
first:
	/*
	 * Each iteration fetches one line, as does every other HPU in that time. Those need four lines until they sleep, and one
	 * fetched ahead.
	 */
	li	a4, 16
1:	addi	a4, a4, -1
	bnez	a4, 1b
	li	a2, HPU_ICACHE_ENABLE
	li	a1, -1
	sw	a1, 0(a2)
	li	a1, 1
	sw	a1, HPU_ICACHE_FLUSH - HPU_ICACHE_ENABLE(a2)

	/* The first HPU of each cluster clears its L1's guard and memory of clusters. The first HPU of cluster 0 copies state to L1. */
	li	a2, L1_OWN
	la	a1, spin_guard_offset_
	add	a2, a2, a1
	sw	zero, 0(a2)
	sw	zero, 4(a2)
#ifdef HPU_HAS_CLUSTERS
	jal	t0, clear_cluster
#endif
#ifdef HPU_HAS_EXCLUSIVE
	jal	t0, init_exclusive
#endif
	srli	a3, a5, 5
	andi	a3, a3, 63		/* cluster */
	bnez	a3, wake
#ifdef HPU_INIT
	HPU_INIT			/* keeps a5 and t1 */
#endif
	la	a0, spin_state_load_
	la	a1, spin_state_start_
	la	a2, spin_state_end_
	beq	a0, a1, wake
2:	bgeu	a1, a2, wake
	lw	a4, 0(a0)
	sw	a4, 0(a1)
	addi	a0, a0, 4
	addi	a1, a1, 4
	j	2b

wake:
	li	a1, -1
	sw	a1, EVENT_UNIT_TEAM(t1)
	sw	zero, EVENT_UNIT_DISPATCH(t1)

ready:
	andi	a4, a5, 31		/* HPU in cluster */
	srli	a3, a5, 5
	andi	a3, a3, 63		/* cluster */

	/* Own stack. The handler's argument structure is at its upper end. */
	li	sp, L1_OWN + L1_STACKS + L1_STACK_BYTES - L1_ARGS_BYTES
	slli	a2, a4, 10
	add	sp, sp, a2
	li	a2, HPU_DRIVER + HPU_TASK
	sw	a2, 0(sp)		/* task descriptor */
	slli	a2, a3, 3
	add	a2, a2, a4
	sw	a2, 4(sp)		/* global HPU id */
	sw	a3, 8(sp)		/* cluster */
	sw	a4, 12(sp)		/* HPU in cluster */

	/* Enters user mode and the runtime loop; also jumped to after traps. sp is already set. */
user:
	la	a0, trap
	csrw	mtvec, a0
	li	a0, CSR_MSTATUS_MPP
	csrc	mstatus, a0
	la	a0, spin_runtime_
	csrw	mepc, a0
	li	s0, HPU_DRIVER
	mv	s1, sp
	mret

	/* Only 32-bit instructions at a fixed alignment, so that the loop's timing is the same in every image. */
	.balign	16
	.option push
	.option norvc
	.globl spin_runtime_
	.type spin_runtime_, @function
spin_runtime_:
	lw	t0, HPU_FUNCTION(s0)
	nop
	mv	a0, s1
	jalr	t0
	nop
	lw	t0, HPU_DOORBELL(s0)
	j	spin_runtime_
	.option pop
	.size spin_runtime_, . - spin_runtime_

	/* A handler's exception: tells the driver the cause, resets the HPU's state, ends the task. */
	.weak	hpu_trapped
	.section .text.trap, "ax"
	.balign	256
	.type trap, @function
trap:
	csrr	a5, mhartid
	andi	a4, a5, 31
	csrr	a0, mcause
	li	a1, HPU_DRIVER
	sw	a0, HPU_ERROR(a1)
	.option push
	.option norelax
	la	gp, __global_pointer$
	.option pop
	li	sp, L1_OWN + L1_STACKS + L1_STACK_BYTES - L1_ARGS_BYTES
	slli	a2, a4, 10
	add	sp, sp, a2
	mv	s0, a4
#ifdef HPU_HAS_EXCLUSIVE
	jal	t0, spin_exclusive_trapped_
#endif
	lui	t0, %hi(hpu_trapped)	/* absent from third-party images */
	addi	t0, t0, %lo(hpu_trapped)
	beqz	t0, 1f
	mv	a0, sp
	jalr	t0
1:	li	a1, HPU_DRIVER
	lw	a0, HPU_DOORBELL(a1)
	mv	a4, s0
	j	user
	.size trap, . - trap

#ifdef HPU_HAS_CLUSTERS
	/*
	 * Clears the cluster's own memory of clusters, a multiple of 64 bytes. Not in other images: those boot with the fetches that
	 * were measured.
	 */
	.section .text.clear_cluster, "ax"
	.type clear_cluster, @function
clear_cluster:
	la	a0, spin_clusters_start_
	la	a1, spin_clusters_end_
	j	2f
1:	sw	zero, 0(a0)
	sw	zero, 4(a0)
	sw	zero, 8(a0)
	sw	zero, 12(a0)
	addi	a0, a0, 16
2:	bltu	a0, a1, 1b
	jr	t0
	.size clear_cluster, . - clear_cluster
#endif

	/*
	 * For clears and copies of structs: gcc 13 and newer call these functions where older versions emit the stores inline. They
	 * copy words at any alignment, since the core does a misaligned access in two accesses. Only in images that call them.
	 */
	.weak	memset
	.section .text.memset, "ax"
	.type memset, @function
memset:
	andi	a1, a1, 255
	slli	a3, a1, 8
	or	a1, a1, a3
	slli	a3, a1, 16
	or	a1, a1, a3
	mv	a3, a0
	li	a4, 4
1:	bltu	a2, a4, 2f
	sw	a1, 0(a3)
	addi	a3, a3, 4
	addi	a2, a2, -4
	j	1b
2:	beqz	a2, 3f
	sb	a1, 0(a3)
	addi	a3, a3, 1
	addi	a2, a2, -1
	j	2b
3:	ret
	.size memset, . - memset

	.weak	memcpy
	.section .text.memcpy, "ax"
	.type memcpy, @function
memcpy:
	mv	a3, a0
	li	a4, 4
1:	bltu	a2, a4, 2f
	lw	a5, 0(a1)
	sw	a5, 0(a3)
	addi	a1, a1, 4
	addi	a3, a3, 4
	addi	a2, a2, -4
	j	1b
2:	beqz	a2, 3f
	lbu	a5, 0(a1)
	sb	a5, 0(a3)
	addi	a1, a1, 1
	addi	a3, a3, 1
	addi	a2, a2, -1
	j	2b
3:	ret
	.size memcpy, . - memcpy

/* The lock of host memory, in L2. The linker drops it if no handler takes the lock, so that state can use all of its 1 MiB. */
	.section .bss.spin_host_lock_, "aw", @nobits
	.balign	4
	.globl	spin_host_lock_
spin_host_lock_:
	.skip	4

#include "hwmodel/image/exclusive.S"
