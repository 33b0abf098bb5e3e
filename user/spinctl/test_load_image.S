/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Embeds small handlers (test_load/, compiled by spincc to objects that the build puts on the include path) in spinctl. doctor/test_load.c
 * loads them to test the kernel.
 */
	.macro image name
	.global test_load_\name, test_load_\name\()_end
	.hidden test_load_\name, test_load_\name\()_end
	.balign 16
test_load_\name:
	.incbin "\name\().spin"
test_load_\name\()_end:
	.endm

	.section .rodata
	image datagram
	image message
	image segment
	image sender
	.section .note.GNU-stack, "", @progbits
