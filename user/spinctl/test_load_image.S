/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Embeds the fat objects of the handlers in test_load/, which the build puts on the include path. doctor/test_load.c loads them. */
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
	image sender
	.section .note.GNU-stack, "", @progbits
