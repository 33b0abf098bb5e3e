/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Embeds the compiled bpf/root.bpf.c into libspin: an interface's XDP program, which finds the handlers of each packet. root.c loads it.
 * ROOT_IMAGE names the object file.
 */
	.section .rodata
	.global root_image, root_image_end
	.hidden root_image, root_image_end
	.balign 16
root_image:
	.incbin ROOT_IMAGE
root_image_end:
	.section .note.GNU-stack, "", @progbits
