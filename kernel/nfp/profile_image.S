/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The built-in profile's text, which profile.c reads like any other. */
	.section .rodata
	.globl nfp_profile_text
	.hidden nfp_profile_text
	.globl nfp_profile_text_end
	.hidden nfp_profile_text_end
nfp_profile_text:
	.incbin "kernel/nfp/bpf-2.0.6.124.profile"
nfp_profile_text_end:
	.section .note.GNU-stack, "", %progbits
