/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Start code of the programs in this directory, on hpu-run and qemu-riscv32: calls main, prints its return value as eight hexadecimal
 * digits with the Linux system call write, and exits with 0. Linked by iss.sh, which compares the output of both.
 */
	.globl _start
_start:
	.option push
	.option norelax
	la	gp, __global_pointer$
	.option pop
	andi	sp, sp, -16
	call	main
	la	a1, text
	addi	t0, a1, 8
	li	t2, 10
1:	addi	t0, t0, -1
	andi	t1, a0, 15
	srli	a0, a0, 4
	blt	t1, t2, 2f
	addi	t1, t1, 'a' - '0' - 10
2:	addi	t1, t1, '0'
	sb	t1, (t0)
	bne	t0, a1, 1b
	li	a0, 1
	li	a2, 9
	li	a7, 64
	ecall
	li	a0, 0
	li	a7, 93
	ecall
	.data
text:	.ascii	"00000000\n"
