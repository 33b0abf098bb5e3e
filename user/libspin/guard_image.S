/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Embeds the compiled bpf/guard.bpf.c into libspin: the BPF program in front of handlers on a UDP socket, which lets them see only that
 * socket's datagrams; for TCP streams only its check that the socket is open is loaded. guard.c loads it. GUARD_IMAGE names the object
 * file. guard_tcp_image.S is the same for TCP segments.
 */
	.section .rodata
	.global guard_image, guard_image_end
	.hidden guard_image, guard_image_end
	.balign 16
guard_image:
	.incbin GUARD_IMAGE
guard_image_end:
	.section .note.GNU-stack, "", @progbits
