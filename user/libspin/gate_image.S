/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Embeds the compiled bpf/gate.bpf.c into libspin: the BPF program that makes packets wait while handlers are replaced. swap/gate.c loads
 * it. GATE_IMAGE names the object file.
 */
	.section .rodata
	.global gate_image, gate_image_end
	.hidden gate_image, gate_image_end
	.balign 16
gate_image:
	.incbin GATE_IMAGE
gate_image_end:
	.section .note.GNU-stack, "", @progbits
