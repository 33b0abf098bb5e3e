/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Embeds the compiled bpf/guard_tcp.bpf.c into libspin: the BPF program in front of handlers on a TCP socket, which lets them see only the
 * segments of that socket's connections. guard.c loads it. GUARD_TCP_IMAGE names the object file. guard_image.S is the same for datagrams.
 */
	.section .rodata
	.global guard_tcp_image, guard_tcp_image_end
	.hidden guard_tcp_image, guard_tcp_image_end
	.balign 16
guard_tcp_image:
	.incbin GUARD_TCP_IMAGE
guard_tcp_image_end:
	.section .note.GNU-stack, "", @progbits
