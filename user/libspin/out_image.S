/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Embeds the compiled bpf/out.bpf.c into libspin: the BPF program that sends the packets of handlers. requests/egress.c loads it. OUT_IMAGE
 * names the object file.
 */
	.section .rodata
	.global out_image, out_image_end
	.hidden out_image, out_image_end
	.balign 16
out_image:
	.incbin OUT_IMAGE
out_image_end:
	.section .note.GNU-stack, "", @progbits
