/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Embeds the compiled bpf/ring.bpf.c into libspin: the BPF programs that deliver packets to an AF_XDP ring. ring/deliver.c loads them.
 * RING_IMAGE names the object file.
 */
	.section .rodata
	.global ring_image, ring_image_end
	.hidden ring_image, ring_image_end
	.balign 16
ring_image:
	.incbin RING_IMAGE
ring_image_end:
	.section .note.GNU-stack, "", @progbits
