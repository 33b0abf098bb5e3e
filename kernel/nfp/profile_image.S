/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The text of the built-in profile of an NFP card, a file that says what its firmware can do. profile.c parses it like any other profile.
 * It ends with a NUL.
 */
	.section .rodata
	.globl nfp_profile_text
	.hidden nfp_profile_text
nfp_profile_text:
	.incbin "kernel/nfp/bpf-2.0.6.124.profile"
	.byte 0
	.section .note.GNU-stack, "", %progbits
