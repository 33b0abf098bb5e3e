/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Embeds the compiled bpf/ring.bpf.c into libspin; ring/deliver.c loads it. RING_IMAGE names the object. */
	.section .rodata
	.global ring_image, ring_image_end
	.hidden ring_image, ring_image_end
	.balign 16
ring_image:
	.incbin RING_IMAGE
ring_image_end:
	.section .note.GNU-stack, "", @progbits
