/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The built-in profile's text, which profile.c parses like any other. It ends with a NUL. */
	.section .rodata
	.globl nfp_profile_text
	.hidden nfp_profile_text
nfp_profile_text:
	.incbin "kernel/nfp/bpf-2.0.6.124.profile"
	.byte 0
	.section .note.GNU-stack, "", %progbits
